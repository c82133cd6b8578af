"""A few questions of each set, answered by the configured model: how capable readers fare.

Sixteen questions each of MuSiQue, HotpotQA and 2WikiMultiHopQA and twelve of LiHua-World are drawn
by a fixed seed, other ones in each round. The model is that of the settings (`HOPTRAIL_MODEL`,
`HOPTRAIL_BASE_URL`); the same command again continues an interrupted run, and prints the table.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from data_sets import data_folder
from evaluations import HOTPOTQA, WIKI, Corpus

SEED = 2026
MUSIQUE_DEV = Corpus("musique_dev", ("@musique/dev_corpus.jsonl", "--extractor", "nlp"))
LIHUA = Corpus("lihua", ("@lihua_world/docs.jsonl", "--extractor", "nlp"))
PRESETS: dict[str, tuple[str, ...]] = {
    "closed_book": (),
    "vector": ("--budget", "4000"),
    "reasoning": (),
    "auto": (),
    "dagr": (),
    "dotrag": (),
}
_COSTLY = frozenset({"dagr", "dotrag"})
_FEW = 6  # questions of a set that the costly presets are asked
_Row = dict[str, Any]


@dataclass(frozen=True)
class Sample:
    """A question set, its corpus, and how many questions of it are drawn.

    `unanswerable` are drawn beside the `answerable` ones, in turns with them.
    """

    name: str
    questions: str
    corpus: Corpus
    answerable: int
    unanswerable: int = 0


SAMPLES = (
    Sample("musique", "musique/dev.jsonl", MUSIQUE_DEV, 16),
    Sample("hotpotqa", "hotpotqa/dev98.jsonl", HOTPOTQA, 16),
    Sample("2wiki", "2wiki/dev.jsonl", WIKI, 16),
    Sample("lihua", "lihua_world/questions.jsonl", LIHUA, 6, 6),
)


@dataclass(frozen=True)
class Run:
    """One preset over the drawn questions of one set."""

    sample: Sample
    preset: str
    questions: Path
    kb: Path
    out: Path
    limit: int

    @property
    def command(self) -> list[str]:
        """The words of `hoptrail eval`."""
        words = ["eval", "--questions", str(self.questions), "--kb", str(self.kb)]
        words += ["--preset", self.preset, *PRESETS[self.preset], "--out", str(self.out)]
        words += ["--limit", str(self.limit), "--concurrency", str(self.limit)]
        return [*words, "--judge", "none", "--allow-missing-gold"]


def main() -> int:
    """Draw, index, ask and print."""
    arguments, passed_on = _parser().parse_known_args()
    known = {sample.name: sample for sample in SAMPLES}
    samples = [known[name] for name in arguments.sets or known]
    for sample in samples:
        build(sample.corpus, arguments.kbs)
    if arguments.only_build:
        return 0
    runs = [
        run
        for sample in samples
        for run in planned(sample, arguments.presets, arguments.kbs, arguments.out, arguments.round)
    ]
    with ThreadPoolExecutor(arguments.jobs) as pool:
        codes = list(pool.map(lambda run: _hoptrail([*run.command, *passed_on]), runs))
    print(table(runs))
    return max(codes)


def build(corpus: Corpus, kbs: Path) -> None:
    """Index a corpus where that is not done; the same command again takes up what was left."""
    data = data_folder()
    words = [word.replace("@", f"{data}/") for word in corpus.arguments]
    if code := _hoptrail(["index", *words, "--kb", str(kbs / corpus.name)]):
        raise SystemExit(code)


def planned(
    sample: Sample, presets: Sequence[str], kbs: Path, out: Path, round_: int
) -> Iterable[Run]:
    """Yield the runs of a set, the drawn questions written to a file beside them."""
    folder = out / f"round-{round_}" / sample.name
    folder.mkdir(parents=True, exist_ok=True)
    lines = draw(sample, round_)
    questions = folder / "questions.jsonl"
    questions.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    for preset in presets:
        limit = _FEW if preset in _COSTLY else len(lines)
        kb = kbs / sample.corpus.name
        yield Run(sample, preset, questions, kb, folder / preset, limit)


def draw(sample: Sample, round_: int) -> list[_Row]:
    """Return the questions of a round; no two rounds share one, and the last one may be smaller."""
    path = data_folder(sample.questions) / sample.questions
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    Random(SEED).shuffle(lines)
    parts = [
        [line for line in lines if (line.get("type") == "Null") is unanswerable][
            (round_ - 1) * count : round_ * count
        ]
        for unanswerable, count in ((False, sample.answerable), (True, sample.unanswerable))
    ]
    if not parts[0] or len(parts[1]) < sample.unanswerable:
        raise SystemExit(f"{sample.name} has no questions left for round {round_}")
    answerable, unanswerable = parts
    if not unanswerable:
        return answerable
    return [line for pair in zip(answerable, unanswerable, strict=True) for line in pair]


def table(runs: Sequence[Run]) -> str:
    """Return the figures of the runs as Markdown: each set, then all of them for each preset."""
    head = (
        "| questions | preset | n | right | wrong | abstained | calls | tokens | tokens a right |"
    )
    lines = [head, "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
    finished = {run: rows for run in runs if (rows := _rows(run))}
    lines += [_line(run.sample.name, run.preset, rows) for run, rows in finished.items()]
    for preset in dict.fromkeys(run.preset for run in finished):
        rows = [row for run, some in finished.items() if run.preset == preset for row in some]
        lines.append(_line("all", preset, rows))
    return "\n".join(lines)


def _rows(run: Run) -> list[_Row]:
    path = run.out / "rows.jsonl"
    if not path.exists():
        return []
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return list({row["id"]: row for row in rows}.values())


def _line(name: str, preset: str, rows: Sequence[_Row]) -> str:
    right = sum(bool(row["scores"]["accuracy"]) for row in rows)
    abstained = sum(bool(row.get("abstained")) for row in rows)
    # An abstention is right where there is no answer.
    wrong = sum(not (row["scores"]["accuracy"] or row.get("abstained")) for row in rows)
    usage = [row.get("usage") or {} for row in rows]
    calls = sum(one.get("llm_calls", 0) for one in usage)
    tokens = sum(one.get("prompt_tokens", 0) + one.get("completion_tokens", 0) for one in usage)
    each = f"{calls / len(rows):.2f} | {tokens / len(rows):,.0f}"
    a_right = f"{tokens / right:,.0f}" if right else "–"
    counts = f"{len(rows)} | {right} | {wrong} | {abstained}"
    return f"| {name} | {preset} | {counts} | {each} | {a_right} |"


def _hoptrail(words: Sequence[str]) -> int:
    command = [str(Path(sys.executable).with_name("hoptrail")), *words]
    print("$ hoptrail", *words, file=sys.stderr, flush=True)
    return subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        allow_abbrev=False,
        description=__doc__.splitlines()[0] if __doc__ else None,
        epilog="Further options, such as --set max_seconds=7000, go to hoptrail eval.",
    )
    parser.add_argument("--round", type=int, default=1, metavar="N", help="other questions in each")
    parser.add_argument("--kbs", type=Path, required=True, metavar="DIR", help="knowledge bases")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="runs")
    parser.add_argument("--sets", nargs="*", choices=[one.name for one in SAMPLES], default=[])
    parser.add_argument("--presets", nargs="*", choices=PRESETS, default=list(PRESETS))
    parser.add_argument("--jobs", type=int, default=len(PRESETS), metavar="N", help="at once")
    parser.add_argument("--only-build", action="store_true", help="index, and ask nothing")
    return parser


if __name__ == "__main__":
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    sys.exit(main())
