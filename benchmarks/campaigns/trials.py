"""The parts that campaigns share: trials, their tally, and the command in its own process."""

from __future__ import annotations

import atexit
import io
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, ClassVar

import numpy as np

from hoptrail.core.types import Document
from hoptrail.models.embedder import register_embedder
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.protocols import VectorKind
from hoptrail.testing import HashingEmbedder

TOWNS = ("Alba", "Brod", "Cork", "Dorn", "Elva", "Faro", "Gera", "Hull", "Imst", "Jena")
_HEAVY = (
    "hoptrail.cli.app",
    "hoptrail.api.asking",
    "hoptrail.graphs.qa",
    "hoptrail.indexing.pipeline",
    "hoptrail.services",
    "langchain_openai",
)


_MOST_FAILED = 10  # after which a kind has told enough


class TooLongError(Exception):
    """A trial took longer than its kind allows."""


@dataclass(frozen=True)
class Kind:
    """One kind of trial.

    Attributes:
        name: Its name on the command line.
        trial: Is given a seed and an empty folder, and raises where something did not hold. It
            returns how many cases it tried.
        limit: Seconds that a trial may take.
    """

    name: str
    trial: Callable[[int, Path], int]
    limit: float = 120.0


@dataclass
class Tally:
    """The outcome of the trials of a kind, with the seeds of those that failed."""

    name: str
    tried: int = 0
    seconds: float = 0.0
    failed: list[int] = field(default_factory=list)

    def __str__(self) -> str:
        seeds = f" (seeds {', '.join(map(str, self.failed))})" if self.failed else ""
        held = self.tried - len(self.failed)
        return (
            f"{self.name}: tried {self.tried:,}, held {held:,}, failed {len(self.failed)}{seeds}, "
            f"{self.seconds:.0f} s"
        )


def run_kind(kind: Kind, *, seconds: float, trials: int | None = None, seed: int = 0) -> Tally:
    """Try one seed after the other until the time or the number of trials is spent."""
    tally, begun = Tally(kind.name), time.monotonic()
    while time.monotonic() - begun < seconds and (trials is None or trials > 0):
        if len(tally.failed) == _MOST_FAILED:
            break
        with tempfile.TemporaryDirectory(prefix="campaign-") as folder:
            try:
                with within(kind.limit):
                    tally.tried += kind.trial(seed, Path(folder))
            except Exception:
                print(f"--- {kind.name}, seed {seed}", file=sys.stderr)
                traceback.print_exc()
                tally.tried += 1
                tally.failed.append(seed)
                Command.end_all()
            except BaseException:  # as where who watches it ends it
                Command.end_all()
                raise
        seed += 1
        trials = None if trials is None else trials - 1
    tally.seconds = time.monotonic() - begun
    return tally


@contextmanager
def within(seconds: float, *, of_processor: bool = False) -> Iterator[None]:
    """Raise `TooLongError` where the main thread is not done in time, in a regular expression too.

    Args:
        seconds: The time.
        of_processor: Whether only the time counts in which this process works.
    """
    which, number = (
        (signal.ITIMER_PROF, signal.SIGPROF)
        if of_processor
        else (signal.ITIMER_REAL, signal.SIGALRM)
    )

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise TooLongError(f"not done in {seconds} s")

    former = signal.signal(number, ring)
    # Again and again, since an exception in a finalizer is lost.
    signal.setitimer(which, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(which, 0)
        signal.signal(number, former)


@dataclass(frozen=True)
class Outcome:
    """How a command ended: exit code, or minus the signal; and what it printed."""

    code: int
    out: str
    err: str

    @property
    def is_plain_error(self) -> bool:
        """Whether it failed with one line that says what is wrong, and with no bug."""
        errors = [line for line in self.err.splitlines() if line.startswith("error: ")]
        return (
            self.code in (1, 2)
            and len(errors) == 1
            and "Traceback" not in self.err
            and "bug in hoptrail" not in self.err
        )


class Command:
    """`hoptrail` with these arguments in a fork of this process, which pays for no imports.

    Args:
        arguments: What follows `hoptrail` on the command line.
        variables: What its environment has beside this process's.
        before: Is called in the new process before all else, as to limit it.
    """

    _running: ClassVar[set[Command]] = set()

    def __init__(
        self,
        *arguments: str | Path,
        variables: Mapping[str, str] | None = None,
        before: Callable[[], object] = lambda: None,
    ) -> None:
        load_heavy()
        self._out = tempfile.TemporaryFile()
        self._err = tempfile.TemporaryFile()
        self._outcome: Outcome | None = None
        self._running.add(self)
        sys.stdout.flush()
        sys.stderr.flush()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                signal.setitimer(signal.ITIMER_REAL, 0)
                os.setsid()
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                os.dup2(self._out.fileno(), 1)
                os.dup2(self._err.fileno(), 2)
                sys.stdout = io.TextIOWrapper(open(1, "wb", closefd=False), encoding="utf-8")
                sys.stderr = io.TextIOWrapper(
                    open(2, "wb", 0, closefd=False), encoding="utf-8", write_through=True
                )
                os.environ.update(variables or {})
                before()
                sys.argv = ["hoptrail", *map(str, arguments)]
                import_module("hoptrail.cli").main()
                code = 0
            except SystemExit as leaving:
                code = leaving.code if isinstance(leaving.code, int) else 1
            except BaseException:
                traceback.print_exc()
                code = 70
            try:
                sys.stdout.flush()
            finally:
                os._exit(code)

    @classmethod
    def end_all(cls) -> None:
        """Kill what a trial has left running."""
        for command in list(cls._running):
            command.kill(whole_group=True)
            command.wait()

    def kill(self, *, whole_group: bool = False) -> None:
        """Send SIGKILL, to what it started too if so wished."""
        if whole_group:
            with suppress(ProcessLookupError):  # it may not have made its group yet
                os.killpg(self.pid, signal.SIGKILL)
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> Outcome:
        """Return how it ended."""
        if self._outcome is None:
            code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            texts = []
            for file in (self._out, self._err):
                file.seek(0)
                texts.append(file.read().decode())
                file.close()
            self._outcome = Outcome(code, *texts)
            self._running.discard(self)
        return self._outcome


def hoptrail(*arguments: str | Path, **options: Any) -> Outcome:
    """Run a command to its end."""
    return Command(*arguments, **options).wait()


def succeed(*arguments: str | Path, **options: Any) -> Outcome:
    """Run a command to its end, which must be a good one."""
    outcome = hoptrail(*arguments, **options)
    assert outcome.code == 0, f"{arguments}: {outcome}"
    return outcome


def load_heavy() -> None:
    """Import what commands need, and register the embedders `hashing` and `hashing-2`."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ.setdefault("HOPTRAIL_EMBEDDER", "hashing")
    for name in _HEAVY:
        import_module(name)
    register_embedder("hashing", SlowEmbedder())
    register_embedder("hashing-2", SlowEmbedder(dim=96))


class SlowEmbedder(HashingEmbedder):
    """Takes its time, so that a kill also falls between two batches of vectors."""

    def embed(self, texts: Sequence[str]) -> Any:
        """Return the vectors of `HashingEmbedder`, later."""
        time.sleep(0.0005 * len(texts))
        return super().embed(texts)


def people(size: int, seed: int = 3) -> list[Document]:
    """Return short texts about persons who met in towns."""
    chance = random.Random(seed)
    documents = []
    for number in range(size):
        here, there = chance.sample(TOWNS, 2)
        text = (
            f"Person P{number} was born in {here} in {1800 + number}. "
            f"He moved to {there} and met Person P{chance.randrange(size)} there. "
            f"The Society of {there} (SO{there[0]}) honoured him with {number + 2} members."
        )
        documents.append(Document(f"towns/{number}", f"Person P{number}", text, "towns"))
    return documents


def write_people(folder: Path, size: int, seed: int = 3) -> Path:
    """Write these texts as files into a new folder, and return it."""
    folder.mkdir(parents=True)
    for document in people(size, seed):
        (folder / f"{document.title}.txt").write_text(document.text, encoding="utf-8")
    return folder


def kept_folder() -> Path:
    """Return a new folder for what several trials use; it is gone when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="campaign-kept-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def state_of(base: Path) -> tuple[str, dict[str, Any]]:
    """Return a base's export, and the vectors of each kind of item."""
    kinds: tuple[VectorKind, ...] = ("chunk", "entity", "relation", "word")
    with KnowledgeBase.open(base) as kb:
        stream = io.StringIO()
        kb.export(stream, "jsonl")
        ids = {
            "chunk": kb.index.chunk_ids,
            "entity": kb.index.entity_ids,
            "relation": kb.index.relation_ids,
            "word": kb.lexicon.words,
        }
        vectors: dict[str, Any] = {
            kind: np.array(kb.vectors(kind).vectors(ids[kind])) for kind in kinds
        }
        return stream.getvalue(), vectors
