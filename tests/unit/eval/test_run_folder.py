"""A run's folder survives interruptions and refuses to mix runs; each run has a name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hoptrail.core.errors import InputError
from hoptrail.eval.json_files import JsonlLog
from hoptrail.eval.run_folder import MISSING_GOLD, RunFolder, name_runs

RUN = {"system": "retriever:ket", "seed": 42}
DONE = {"id": "q1", "question": "où?", "failure": None}


def test_rows_are_on_disk_as_soon_as_they_are_added(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "new" / "run")
    assert folder.resume(RUN) == []
    folder.append(DONE)
    assert JsonlLog(folder.path / "rows.jsonl").read() == [DONE]


def test_a_run_continues_with_the_rows_that_were_finished(tmp_path: Path) -> None:
    RunFolder(tmp_path).resume(RUN)
    RunFolder(tmp_path).append(DONE)
    with (tmp_path / "rows.jsonl").open("a", encoding="utf-8") as stream:
        stream.write('{"id": "q2", "quest')
    folder = RunFolder(tmp_path)
    assert folder.resume(RUN) == [DONE]
    folder.append({**DONE, "id": "q2"})
    assert [row["id"] for row in JsonlLog(tmp_path / "rows.jsonl").read()] == ["q1", "q2"]


def test_crashed_questions_are_run_again_but_missing_gold_stays(tmp_path: Path) -> None:
    RunFolder(tmp_path).resume(RUN)
    crashed = {**DONE, "failure": {"code": "model_unavailable", "message": "down"}}
    without_gold = {**DONE, "id": "q2", "failure": {"code": MISSING_GOLD, "message": "gone"}}
    for row in (crashed, without_gold):
        RunFolder(tmp_path).append(row)
    assert RunFolder(tmp_path).resume(RUN) == [without_gold]


def test_another_run_is_not_mixed_in(tmp_path: Path) -> None:
    RunFolder(tmp_path).resume(RUN)
    with pytest.raises(InputError, match="another seed: 42, not 7"):
        RunFolder(tmp_path).resume({**RUN, "seed": 7})


def test_of_a_table_of_settings_the_entry_that_changed_is_named(tmp_path: Path) -> None:
    hashes = {"answer": "a1", "route": "b2"}
    RunFolder(tmp_path).resume({**RUN, "prompts": hashes})
    with pytest.raises(InputError, match=r"another prompts\.route: 'b2', not 'c3'"):
        RunFolder(tmp_path).resume({**RUN, "prompts": {**hashes, "route": "c3"}})


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match=r"out: cannot be a folder"):
        RunFolder(out).resume(RUN)


def test_circumstances_are_those_of_the_beginning_and_may_change(tmp_path: Path) -> None:
    RunFolder(tmp_path).resume(RUN, {"date": "Monday"})
    RunFolder(tmp_path).append(DONE)
    folder = RunFolder(tmp_path)
    folder.resume(RUN, {"date": "Tuesday"})
    assert folder.record() == {**RUN, "date": "Monday"}


def test_a_run_that_finished_nothing_begins_anew(tmp_path: Path) -> None:
    for day in ("Monday", "Tuesday"):
        RunFolder(tmp_path).resume(RUN, {"date": day})
    assert RunFolder(tmp_path).record()["date"] == "Tuesday"


@pytest.mark.parametrize("row", ['{"id": ', "3"])
def test_a_damaged_row_is_named(tmp_path: Path, row: str) -> None:
    RunFolder(tmp_path).resume(RUN)
    (tmp_path / "rows.jsonl").write_text(f'{row}\n{{"id": "q2"}}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"rows\.jsonl:1: damaged row"):
        RunFolder(tmp_path).resume(RUN)


def test_a_finished_run_has_its_summary_and_its_page(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.resume(RUN)
    folder.finish({"n": 1}, "<!doctype html>")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "<!doctype html>\n"
    assert json.loads((tmp_path / "summary.json").read_text(encoding="utf-8")) == {"n": 1}


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
