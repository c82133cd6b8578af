"""The choices of one evaluation, checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from hoptrail.core.errors import SettingsError
from hoptrail.eval.runs.run_record import command_line
from hoptrail.graphs.context import Context, resolve_context


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """One system to be measured over a file of questions, and where its rows go.

    Attributes:
        questions: JSONL file of questions (docs/evaluation.md, "Questions").
        knowledge_base: Folder or name of the indexed corpus; with `graphs` the folder that keeps
            the indexed graphs.
        out: Folder for `rows.jsonl`, `summary.json`, `report.html` and `run.json`.
        preset: The preset to measure; give this, `retriever` or `peer`.
        retriever: The retriever to measure alone.
        peer: File of another system's output over this knowledge base (docs/evaluation.md).
        reader: Model of all roles of the preset: `oracle`, `oracle:noise=X` or `PROVIDER:MODEL`.
        judge: Model that judges answers which their words do not settle, or `none`. By default
            the role `judge_eval`'s where a preset's models are a provider's.
        graphs: File with a graph for each question.
        context: `k`, `budget`, `seed`, models and so on; what it leaves unset the preset chooses.
        limit: Only the first so many questions.
        concurrency: Questions in flight at once; above 1 the times include waiting.
        allow_missing_gold: Count questions whose gold is not in the knowledge base, or that a
            peer left out, as failures instead of raising.
        cache: Folder that keeps retrieved evidence for later runs.

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
    context: Context = field(default_factory=Context)
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
        if self.graphs is not None and self.context.filter is not None:
            raise SettingsError(
                "a filter is for the documents of a corpus", hint="leave --filter or --graphs out"
            )
        if self.peer is not None and self.graphs is not None:
            raise SettingsError(
                "a peer is measured over a corpus", hint="leave --graphs out, and name its corpus"
            )

    @property
    def preset_context(self) -> Context:
        """The context with the preset in it."""
        if self.preset is None:
            return self.context
        return resolve_context({"preset": self.preset}, self.context)

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
        return command_line(options, self.context.model_dump(exclude_unset=True))
