"""Context: every choice that a request may make, and nothing that cannot be serialised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from hoptrail.core.document_filter import DocumentFilter
from hoptrail.core.errors import SettingsError, UnknownNameError
from hoptrail.core.filter_text import parse_filter
from hoptrail.core.settings import Role
from hoptrail.core.types.feedback import LOCAL_READER

_offered: dict[str, Iterable[str]] = {}


def offer_choices(field: str, names: Iterable[str]) -> None:
    """Let the schema of a field of `Context` list these names, as they are when it is made."""
    _offered[field] = names


def _list_presets(schema: dict[str, Any]) -> None:
    if "preset" in _offered:  # else nobody has asked for a preset yet
        schema["enum"] = sorted(_offered["preset"])


def _list_retrievers(schema: dict[str, Any]) -> None:
    from hoptrail.services.request_services import retriever_names  # takes long to import

    schema["anyOf"] = [{"type": "string", "enum": retriever_names()}, {"type": "null"}]


class Context(BaseModel):
    """The `context_schema` of the graphs, editable in Studio and by `--set NAME=VALUE`.

    It names knowledge bases and models; the process that answers knows what the names stand for.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    knowledge_base: str = Field(
        default="default", description="Name of a registered knowledge base."
    )
    preset: str = Field(
        default="auto", description="Name of a preset.", json_schema_extra=_list_presets
    )
    model: str | None = Field(
        default=None, description="Chat model, `provider:name`; else the settings'."
    )
    models: dict[Role, str] = Field(default_factory=dict, description="Chat model by role.")
    filter: str | dict[str, Any] | None = Field(
        default=None,
        description="Documents to answer from, such as `author = A and date >= 2024-01-01`.",
    )
    retriever: str | None = Field(
        default=None,
        description="Replaces the preset's retriever.",
        json_schema_extra=_list_retrievers,
    )
    reranker: str | None = Field(
        default=None,
        description="Replaces the settings' reranker, which orders the passages of the retriever; "
        "`none` for none.",
    )
    level: int | None = Field(
        default=None,
        ge=0,
        description="Level of community reports, 0 is the coarsest; else chosen by the question.",
    )
    prefilter: bool = Field(
        default=True, description="Skip reports that bear little on a question about the whole."
    )
    compress: bool | None = Field(
        default=None, description="Replaces the preset's choice to compress."
    )
    k: int = Field(default=10, ge=1, le=1000, description="Passages of a ranked list.")
    budget: int = Field(
        default=12_000, ge=50, le=1_000_000, description="Tokens of retrieved evidence."
    )
    compressed_budget: int = Field(default=4_000, ge=50, description="Tokens left by compression.")
    theta: float = Field(
        default=0.5, ge=0, le=1, description="Entity channel's share of the budget."
    )
    parameters: dict[str, bool | int | float | str] = Field(
        default_factory=dict, description="Parameters of the retriever by name, such as alpha."
    )
    hops: int = Field(default=3, ge=1, le=6, description="Reach of the graph walk.")
    temperature: float = Field(
        default=0.3, ge=0, le=2, description="Temperature of the answer call."
    )
    verify: Literal["words", "model"] = Field(
        default="words",
        description="How steps are marked: by words alone, or by one model call as well.",
    )
    thrift: bool | None = Field(
        default=None,
        description="Whether `auto` asks the model only where no plain answer is found without it; "
        "by default with a small model.",
    )
    max_model_calls: int = Field(default=8, ge=0, description="Model calls per question.")
    max_tokens: int = Field(
        default=100_000, ge=0, description="Prompt and completion tokens in all."
    )
    max_rounds: int | None = Field(
        default=None,
        ge=0,
        le=10,
        description="Targeted retrievals after an abstention; else the preset's.",
    )
    search_rounds: int = Field(
        default=3, ge=1, le=10, description="Rounds of searching and judging paths, for dotrag."
    )
    max_seconds: float = Field(default=180.0, gt=0, description="Wall-clock seconds per question.")
    saved_answers: bool = Field(
        default=True, description="Whether an answer that a reader saved for the question is given."
    )
    reader: str = Field(
        default=LOCAL_READER,
        max_length=100,
        description="Whose own saved answers are given, beside those for all.",
    )
    seed: int = Field(default=42, description="Seed of everything that is sampled.")

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_fields(cls, given: Any) -> Any:
        # Also where LangGraph makes the context out of what a caller gave `invoke`.
        if isinstance(given, Mapping):
            for name in given:
                if name not in cls.model_fields:
                    raise UnknownNameError("context field", str(name), cls.model_fields)
        return given

    @field_validator("filter", mode="after")
    @classmethod
    def _read_filter(cls, given: str | dict[str, Any] | None) -> dict[str, Any] | None:
        # One form for equal filters, whoever wrote them.
        return None if given is None or given == "" else parse_filter(given).to_json()

    @property
    def document_filter(self) -> DocumentFilter | None:
        """The filter in force, None for all documents."""
        return None if self.filter is None else parse_filter(self.filter)


def resolve_context(
    given: Context | Mapping[str, Any] | None, defaults: Context | None = None
) -> Context:
    """Return a validated context; what it leaves unset is taken from the defaults.

    Raises:
        UnknownNameError: If a field does not exist.
        SettingsError: If a value cannot be used.
    """
    chosen = _fields_set(given)
    if defaults is not None:
        chosen = {**_fields_set(defaults), **chosen}
    try:
        return Context.model_validate(chosen)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise SettingsError(f"context field {name}: {first['msg']}") from error


def _fields_set(given: Context | Mapping[str, Any] | None) -> dict[str, Any]:
    if isinstance(given, Context):
        return {name: getattr(given, name) for name in given.model_fields_set}
    return dict(given or {})
