"""The hub's side, read through the `datasets` library from a folder that stands for the hub."""

from __future__ import annotations

from pathlib import Path

import pytest

from hoptrail.core.errors import InputError
from hoptrail.eval.datasets.origin import HubOrigin, LocalOrigin, Part
from tests.unit.eval.datasets.originals import write_lines


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HubOrigin:
    library = pytest.importorskip("datasets")
    monkeypatch.setattr(library.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    library.disable_progress_bars()
    return HubOrigin("dev")


@pytest.mark.slow
def test_dev_is_validation_on_the_hub_and_a_whole_part_is_train(
    tmp_path: Path, hub: HubOrigin
) -> None:
    folder = tmp_path / "set"
    write_lines(folder / "validation.jsonl", {"id": "v"})
    write_lines(folder / "train.jsonl", {"id": "t"})
    for part, wanted in (
        (Part((), hub=(str(folder), None)), "v"),
        (Part((), hub=(str(folder), None), is_whole=True), "t"),
    ):
        (fields,) = hub.records(part)
        assert fields.row == {"id": wanted}
        assert fields.path.endswith("record 1")


@pytest.mark.slow
def test_what_the_hub_cannot_give_is_an_error_with_a_way_out(
    tmp_path: Path, hub: HubOrigin
) -> None:
    with pytest.raises(InputError, match="cannot be loaded") as caught:
        next(hub.records(Part((), hub=(str(tmp_path / "none"), None))))
    assert "downloaded file" in caught.value.hint
    with pytest.raises(InputError, match="not on the hub in its original form"):
        next(hub.records(Part(("qa.txt",))))


def test_a_file_is_its_main_part_and_others_lie_beside_it(tmp_path: Path) -> None:
    main = write_lines(tmp_path / "mine.jsonl", {})
    beside = write_lines(tmp_path / "corpus.json", {})
    origin = LocalOrigin(main, "dev")
    assert origin.files(Part(("{split}.json",))) == [main]
    assert origin.files(Part(("corpus.json",), is_main=False)) == [beside]


def test_the_first_pattern_that_fits_counts_with_all_its_files(tmp_path: Path) -> None:
    for name in ("dev_b.json", "validation-1.json", "validation-0.json"):
        write_lines(tmp_path / name, {})
    part = Part(("{split}_a*.json", "{hub_split}-*.json", "{split}_b.json"))
    found = LocalOrigin(tmp_path, "dev").files(part)
    assert [path.name for path in found] == ["validation-0.json", "validation-1.json"]
