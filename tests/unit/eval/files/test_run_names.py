from hoptrail.eval.files.run_names import name_runs


def test_systems_that_differ_are_names_enough() -> None:
    runs = [{"system": "retriever:ket", "k": 5}, {"system": "retriever:bm25", "k": 10}]
    assert name_runs(runs) == ("retriever:ket", "retriever:bm25")


def test_the_same_system_is_told_apart_by_its_settings() -> None:
    runs = [{"system": "retriever:ket", "k": k, "seed": 42, "date": f"day {k}"} for k in (5, 10)]
    assert name_runs(runs) == ("retriever:ket, k 5", "retriever:ket, k 10")


def test_runs_with_the_same_settings_are_numbered() -> None:
    run = {"system": "retriever:ket", "k": 5}
    assert name_runs([run, run]) == ("retriever:ket", "retriever:ket (2)")
