from hoptrail.core.algorithms.prefixes import without_prefixes


def test_prefixes_of_longer_paths_are_left_out() -> None:
    assert without_prefixes([["a"], ["a", "b"], ["b"], ["a", "b", "c"]]) == [2, 3]


def test_a_repeated_path_stays_at_its_first_place() -> None:
    assert without_prefixes([["a", "b"], ["c"], ["a", "b"]]) == [0, 1]


def test_an_empty_path_says_nothing() -> None:
    assert without_prefixes([[], ["a"]]) == [1]


def test_a_finished_path_stays_beside_longer_ones() -> None:
    assert without_prefixes([["a"], ["a", "b"], ["a"]], finished=[0, 2]) == [0, 1]
