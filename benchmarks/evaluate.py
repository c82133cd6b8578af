"""Runs the evaluations behind docs/results.md and stores their figures, without any question.

Every step is a command of `hoptrail`, so that a reader can run the same. Knowledge bases and runs
stay in `runs/evaluate`: what is finished there is not run again.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from data_sets import ROOT, data_folder
from evaluations import QUESTION_SETS, Configuration, Corpus, QuestionSet
from results_page import store_comparison, store_run, store_set

from hoptrail.eval.figures.comparison import compare_runs
from hoptrail.eval.run_folder import SUMMARY, load_run

STORED = ROOT / "benchmarks" / "results"
WORK = Path("runs", "evaluate")
HOPTRAIL = Path(sys.executable).with_name("hoptrail")


def main() -> int:
    """Run what is not finished; with --limit as a trial that stores nothing."""
    parser = argparse.ArgumentParser(description="Run the evaluations behind docs/results.md.")
    parser.add_argument(
        "sets", nargs="*", metavar="SET", help="names of question sets; all if none"
    )
    parser.add_argument("--limit", metavar="N", help="first N questions only; nothing is stored")
    arguments = parser.parse_args()
    os.chdir(ROOT)
    os.environ["HOPTRAIL_DATA"] = str(data_folder())
    names = [questions.name for questions in QUESTION_SETS]
    if unknown := set(arguments.sets) - set(names):
        parser.error(f"no set is called {', '.join(unknown)}; known: {', '.join(names)}")
    try:
        for questions in QUESTION_SETS:
            if questions.name in (arguments.sets or names):
                evaluate(questions, arguments.limit)
    except subprocess.CalledProcessError as error:
        return int(error.returncode)
    return 0


def evaluate(questions: QuestionSet, limit: str | None) -> None:
    """Measure every configuration on one set of questions."""
    if questions.corpus.arguments:
        hoptrail(*index_command(questions.corpus))
    runs = {of: measure(questions, of, limit) for of in questions.systems}
    if limit is None:
        store(questions, runs)


def index_command(corpus: Corpus) -> list[str]:
    """Return the words that index a corpus, the data folder as `$HOPTRAIL_DATA`."""
    words = [word.replace("@", "$HOPTRAIL_DATA/") for word in corpus.arguments]
    return ["index", *words, "--kb", str(knowledge_base(corpus))]


def measure(questions: QuestionSet, of: Configuration, limit: str | None) -> Path:
    """Return the folder of a run, after running it where it is not finished."""
    part = f"first-{limit}" if limit else "all"
    out = WORK / part / questions.name / of.name
    if not (out / SUMMARY).exists():
        source = f"$HOPTRAIL_DATA/{questions.questions}"
        where = ["--questions", source, "--kb", str(knowledge_base(questions.corpus))]
        if questions.graphs is not None:
            where += ["--graphs", f"$HOPTRAIL_DATA/{questions.graphs}"]
        first = ["--limit", limit] if limit else []
        hoptrail("eval", *where, *of.arguments, *first, "--out", str(out))
    return out


def knowledge_base(corpus: Corpus) -> Path:
    """Return the folder of a corpus' knowledge base."""
    return WORK / "kb" / corpus.name


def hoptrail(*words: str) -> None:
    """Run a command of hoptrail, shown as a reader would type it."""
    print(f"$ hoptrail {shlex.join(words)}".replace("'", ""), file=sys.stderr, flush=True)
    subprocess.run([HOPTRAIL, *map(os.path.expandvars, words)], check=True)


def store(questions: QuestionSet, runs: dict[Configuration, Path]) -> None:
    """Write the published part of the runs, and how the retrievers differ."""
    folder = STORED / questions.name
    shutil.rmtree(folder, ignore_errors=True)
    about = {"title": questions.title, "description": questions.description}
    if questions.corpus.arguments:
        about["index"] = " ".join(["hoptrail", *index_command(questions.corpus)])
    store_set(folder, about)
    loaded = {of: load_run(path) for of, path in runs.items()}
    for of, run in loaded.items():
        store_run(folder / of.name, run)
    retrievers = {of.name: run for of, run in loaded.items() if "--retriever" in of.arguments}
    comparison = compare_runs(list(retrievers.values()))
    store_comparison(folder, replace(comparison, names=tuple(retrievers)))


if __name__ == "__main__":
    sys.exit(main())
