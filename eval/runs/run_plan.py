"""What a run is to be: all choices of one evaluation, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hoptrail.core.errors import SettingsError
from hoptrail.eval.runs.run_record import command_line


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """The choices of `hoptrail.eval.runs.runner.run_eval`, which describes them.

    Raises:
        SettingsError: If they exclude each other, or nothing is to be measured.
    """

    questions: Path
    knowledge_base: str | Path
    out: Path
    preset: str | None = None
    retriever: str | None = None
    peer: Path | None = None
    reader: str | None = None
    judge: str | None = None
    graphs: Path | None = None
    context: Mapping[str, Any] = field(default_factory=dict)
    limit: int | None = None
    concurrency: int = 1
    allow_missing_gold: bool = False
    cache: Path | None = None

    def __post_init__(self) -> None:
        if sum(choice is not None for choice in (self.preset, self.retriever, self.peer)) != 1:
            raise SettingsError(
                "what is to be measured?",
                hint="give exactly one of --preset, --retriever and --peer",
            )
        if self.preset is None and self.reader is not None:
            raise SettingsError("only a preset asks a reader", hint="leave --reader out")
        if self.peer is not None and self.graphs is not None:
            raise SettingsError(
                "a peer is measured over a corpus", hint="leave --graphs out, and name its corpus"
            )

    @property
    def command(self) -> str:
        """The shell command that does the same."""
        options = {
            "--questions": self.questions,
            "--kb": self.knowledge_base,
            "--preset": self.preset,
            "--retriever": self.retriever,
            "--peer": self.peer,
            "--reader": self.reader,
            "--judge": self.judge,
            "--graphs": self.graphs,
            "--limit": self.limit,
            "--concurrency": None if self.concurrency == 1 else self.concurrency,
            "--allow-missing-gold": self.allow_missing_gold,
            "--out": self.out,
        }
        return command_line(options, self.context)
