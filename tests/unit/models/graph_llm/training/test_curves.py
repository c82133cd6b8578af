from pathlib import Path

from hoptrail.models.graph_llm.training.curves import Curves

ROW = {"step": 1, "phase": "language", "epoch": 1, "loss": 0.1 + 0.2, "seconds": 1.5}


def test_numbers_keep_all_their_digits(tmp_path: Path) -> None:
    curves = Curves(tmp_path)
    curves.keep(0)
    curves.append(ROW)
    row = curves.rows()[0]
    assert float(row["loss"]) == 0.1 + 0.2
    assert row["hits@1"] == ""


def test_rows_beyond_a_step_are_dropped(tmp_path: Path) -> None:
    curves = Curves(tmp_path)
    curves.keep(0)
    for step in (1, 2, 3):
        curves.append({**ROW, "step": step})
    curves.keep(2)
    curves.append({**ROW, "step": 3, "loss": 7})
    assert [(row["step"], row["loss"]) for row in curves.rows()][1:] == [
        ("2", str(0.1 + 0.2)),
        ("3", "7"),
    ]


def test_a_line_that_was_cut_off_is_dropped(tmp_path: Path) -> None:
    curves = Curves(tmp_path)
    curves.keep(0)
    curves.append(ROW)
    with (tmp_path / "curves.csv").open("a", encoding="utf-8") as stream:
        stream.write("2,langu")
    assert [row["step"] for row in curves.rows()] == ["1"]


def test_the_picture_is_a_png(tmp_path: Path) -> None:
    curves = Curves(tmp_path)
    curves.keep(0)
    curves.append({**ROW, "language_loss": 2.0})
    curves.append({**ROW, "step": 2, "language_loss": 1.0, "hits@1": 0.5})
    curves.draw()
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
