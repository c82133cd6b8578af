"""`generate_questions`: a file of global questions about a corpus."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from hoptrail.core.errors import InputError
from hoptrail.core.types import NodeUsage, Record
from hoptrail.eval.json_files import JsonlLog
from hoptrail.eval.questions.question_writer import (
    Catalogue,
    GenerationPlan,
    PaidReplies,
    QuestionWriter,
    WrittenQuestions,
)
from hoptrail.models.chat import RoleModel
from hoptrail.prompts.loader import SHIPPED, Prompts


@dataclass(frozen=True, slots=True)
class GenerationReport(Record):
    """Report on the written questions.

    Attributes:
        questions: Questions in the file.
        wanted: Questions asked for; repeated and malformed ones are missing in the file.
        description: The corpus description that they were made from.
        failed: Steps for which the model gave no readable reply.
        usage: What they cost, replies of earlier, stopped runs included.
    """

    questions: int
    wanted: int
    description: str
    failed: tuple[str, ...]
    usage: NodeUsage


def generate_questions(
    corpus: str | Catalogue,
    model: RoleModel,
    out: Path,
    *,
    plan: GenerationPlan | None = None,
    concurrency: int = 4,
    max_usd: float | None = None,
    prompts: Prompts = SHIPPED,
) -> GenerationReport:
    """Write questions about a corpus as JSONL: id, question, type, persona, task; no answers.

    The model's replies are kept beside the file, in `<stem>.replies.jsonl`: a stopped run is
    continued by the same call, and the same call again writes the same file for nothing.

    Args:
        corpus: Its description; or its catalogue, from which the model writes one first.
        model: The model of role `judge_eval`.
        out: The file.
        plan: How many personas, tasks and questions.
        concurrency: Calls in flight at once.
        max_usd: Dollars after which no further call is made.
        prompts: Shipped prompts and their overrides.

    Raises:
        InputError: If the file exists and was not written by this.
        ModelError: If the model gives nothing to go on with.
        CostLimitError: At `max_usd`; what was paid for is stored.
    """
    plan = plan or GenerationPlan()
    kept_replies = out.with_name(f"{out.stem}.replies.jsonl")
    if out.exists() and not kept_replies.exists():
        raise InputError("the file exists already", path=str(out), hint="use another --out file")
    replies = PaidReplies(model, kept_replies, max_usd=max_usd)
    writer = QuestionWriter(replies, concurrency=concurrency, prompts=prompts)
    description, written = asyncio.run(_write(writer, corpus, plan))
    JsonlLog(out).replace(question.to_json() for question in written.questions)
    return GenerationReport(
        len(written.questions), plan.wanted, description, written.failed, replies.usage
    )


def read_description_file(path: Path) -> str:
    """Return the description in a text file.

    Raises:
        InputError: If the file cannot be read or is empty.
    """
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=str(path)) from error
    except UnicodeDecodeError as error:
        raise InputError("not text in UTF-8", path=str(path)) from error
    if not text:
        raise InputError("the description is empty", path=str(path))
    return text


async def _write(
    writer: QuestionWriter, corpus: str | Catalogue, plan: GenerationPlan
) -> tuple[str, WrittenQuestions]:
    description = corpus if isinstance(corpus, str) else await writer.describe(corpus)
    return description, await writer.write(description, plan)
