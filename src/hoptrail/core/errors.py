"""One error root; every message says what is wrong, every hint what to do next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

_CLOSE = 0.7  # of 1, from which a name may be another one with a slip
_MOST_NAMES = 20


class HoptrailError(RuntimeError):  # the LangGraph server hides other errors' messages
    """Root of all errors that Hoptrail raises on purpose.

    `code` is the stable name that `--json` prints, `hint` the next step for the user. Both message
    and hint are one line, whatever text of others they quote.
    """

    code = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.message = " ".join(message.splitlines())
        self.hint = " ".join(hint.splitlines())
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class SettingsError(HoptrailError):
    """A setting, context field or option has a value that cannot be used."""

    code = "bad_setting"


class ModelKeyError(SettingsError):
    """A model's key is missing or refused: no step goes on without its model then."""

    code = "model_key"


class UnknownNameError(HoptrailError):
    """A preset, retriever, document or knowledge base of that name does not exist.

    Args:
        kind: Kind of thing.
        name: The name that is not known.
        known: Names that are.
        listing: How to list them, where they are many.
    """

    code = "unknown_name"

    def __init__(
        self, kind: str, name: str, known: Iterable[str], *, listing: str | None = None
    ) -> None:
        names = sorted(known)
        close = difflib.get_close_matches(name, names, n=1, cutoff=_CLOSE)
        if close:
            hint = f"did you mean {close[0]!r}?" + (f" {listing}" if listing else "")
        elif listing:
            hint = listing
        elif names:
            more = ", ..." if len(names) > _MOST_NAMES else ""
            shown = ", ".join(names[:_MOST_NAMES]) + more
            hint = f"known: {shown}"
        else:
            hint = "none is known"
        super().__init__(f"unknown {kind} {name!r}", hint=hint)


class InputError(HoptrailError):
    """A question, document or data file that cannot be used; names file and line if known."""

    code = "bad_input"

    def __init__(
        self, message: str, *, path: str | None = None, line: int | None = None, hint: str = ""
    ) -> None:
        place = path or ""
        if path and line is not None:
            place = f"{path}:{line}"
        super().__init__(f"{place}: {message}" if place else message, hint=hint)
        self.path = path
        self.line = line


class DiskError(HoptrailError):
    """A file cannot be read or written: the disk is full, or a right to it is missing."""

    code = "disk"


class SourceRootError(InputError):
    """A source would get a second root, so that its documents could be taken for others."""

    code = "second_root"


class GraphInputError(InputError):
    """A graph given to the graph language model cannot be used; names the node or edge."""

    code = "bad_graph"


class NothingIndexedError(HoptrailError):
    """No input could be indexed.

    Args:
        message: What is wrong.
        hint: What to do.
        reasons: Why, by path of what was left out.
    """

    code = "nothing_indexed"

    def __init__(
        self, message: str, *, hint: str = "", reasons: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.reasons = dict(reasons or {})


class MissingExtraError(HoptrailError):
    """An optional dependency is not installed."""

    code = "missing_extra"


class PluginError(HoptrailError):
    """A retriever or preset that an installed package adds cannot be used."""

    code = "plugin"


class KnowledgeBaseError(HoptrailError):
    """A knowledge base cannot be opened or is damaged."""

    code = "knowledge_base"


class ClosedError(KnowledgeBaseError):
    """The knowledge base was closed before or while it was used."""

    code = "closed"

    def __init__(self) -> None:
        super().__init__("this knowledge base is closed", hint="open it again")


class NotAKnowledgeBaseError(KnowledgeBaseError):
    """The folder holds no knowledge base."""

    code = "not_a_knowledge_base"


class FormatVersionError(KnowledgeBaseError):
    """The knowledge base was written by a newer format."""

    code = "newer_format"


class KnowledgeBaseLockedError(KnowledgeBaseError):
    """Another process is writing to the knowledge base."""

    code = "locked"


class StoreError(KnowledgeBaseError):
    """A server that keeps a knowledge base or its conversations cannot be reached or used."""

    code = "store"


class QueryError(HoptrailError):
    """A query that a model wrote is not allowed, wrong, or takes too much."""

    code = "bad_query"


class ThreadBusyError(HoptrailError):
    """A conversation is still answering another question."""

    code = "thread_busy"


class EmbedderMismatchError(KnowledgeBaseError):
    """The knowledge base was embedded with another model."""

    code = "embedder_mismatch"


class ModelError(HoptrailError):
    """Root of what can go wrong with a language model."""

    code = "model"


class ModelNotConfiguredError(ModelError):
    """A model is needed and none is set."""

    code = "no_model"


class ModelUnavailableError(ModelError):
    """The model cannot be reached, refuses the request, or stays rate-limited."""

    code = "model_unavailable"


class OverloadedError(ModelError):
    """The model has as many requests waiting as it takes; a later try may succeed."""

    code = "overloaded"


class ModelReplyError(ModelError):
    """The model replied, but not in a form that could be read, even after repair."""

    code = "model_reply"


class CheckpointError(ModelError):
    """A checkpoint of trained weights is damaged, or belongs to another model or embedder."""

    code = "checkpoint"


class BudgetExceededError(HoptrailError):
    """A run spent its calls, tokens, rounds or seconds; `kind` is the stop reason."""

    code = "budget"

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class CostLimitError(HoptrailError):
    """`--max-usd` was reached; what is done is stored and the run can be resumed."""

    code = "max_usd"
