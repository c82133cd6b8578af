"""Leaves a base, a conversation and a killed run behind, for the tests of later versions.

    python -m tests.released_version FOLDER

Run it with the code that is released, and keep the folder as `tests/data/version_X_Y_Z`: a base of
a synced folder with its communities and a conversation, questions, and an evaluation that was
killed after the second of three. Its embedder only hashes words, so that no model file is needed.
The synced folder is FOLDER/ships; its path stands in the base, so make FOLDER outside of any home.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from hoptrail import Hoptrail
from hoptrail.cli.app import build_app
from hoptrail.cli.failures import run_guarded
from tests.ships import FACTS, QUESTION, hashing_settings

QUESTIONS = (
    ("q1", QUESTION, "Edda Thorn", ("Morning Tern", "Alder Yard")),
    ("q2", "Where was Edda Thorn born?", "Brackenholm", ("Edda Thorn",)),
    ("q3", "Who founded the Alder Yard?", "Edda Thorn", ("Alder Yard",)),
)


def main(folder: Path) -> int:
    """Fill a new folder, and return the exit status of the evaluation."""
    ships = folder / "ships"
    ships.mkdir(parents=True)
    for title, text in FACTS.items():
        (ships / f"{title}.txt").write_text(text, encoding="utf-8")
    lines = [
        {
            "id": id_,
            "question": question,
            "answer": answer,
            "supporting_ids": [f"ships/{name}.txt" for name in support],
        }
        for id_, question, answer, support in QUESTIONS
    ]
    questions = folder / "questions.jsonl"
    questions.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    os.environ["HOPTRAIL_EMBEDDER"] = "hashing"
    settings = hashing_settings()
    with Hoptrail.open(folder / "kb", create=True, settings=settings, preset="offline") as opened:
        opened.sync(ships, extractor="nlp")
        opened.communities(extractive=True)
        opened.ask("Who built the Morning Tern?", thread_id="talk")
    os.chdir(folder)
    command = "eval --questions questions.jsonl --kb kb --preset offline --out run"
    status = run_guarded(build_app(), command.split())
    rows = folder / "run" / "rows.jsonl"
    kept = rows.read_text(encoding="utf-8").splitlines(keepends=True)[:2]
    rows.write_text("".join(kept), encoding="utf-8")
    for path in (folder / "run").iterdir():
        if path.name not in ("rows.jsonl", "run.json"):
            path.unlink()
    return status


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]).resolve()))
