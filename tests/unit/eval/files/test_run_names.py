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


def test_the_oracle_is_named_though_its_run_stands_alone() -> None:
    runs = [
        {"system": "preset:vector", "reader": "oracle"},
        {"system": "preset:ppr", "reader": "a:b"},
    ]
    assert name_runs(runs) == ("preset:vector, reader oracle", "preset:ppr")


def test_a_run_of_the_oracle_is_told_from_a_model_s_by_both_names() -> None:
    runs = [
        {"system": "preset:vector", "reader": reader} for reader in ("oracle", "oracle:noise=1")
    ]
    assert name_runs([*runs, {"system": "preset:vector", "reader": None, "model": "a:b"}]) == (
        "preset:vector, reader oracle",
        "preset:vector, reader oracle:noise=1",
        "preset:vector, model a:b",
    )
