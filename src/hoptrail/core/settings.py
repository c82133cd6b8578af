"""Settings from `hoptrail.toml` and `HOPTRAIL_*`: models, keys, prices, knowledge bases."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    IPvAnyNetwork,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from hoptrail.core.chosen_model import chosen_settings
from hoptrail.core.errors import SettingsError

Role = Literal[
    "router",
    "decomposer",
    "judge",
    "solver",
    "answerer",
    "extractor",
    "reporter",
    "judge_eval",
]
LogLevel = Literal["off", "error", "warning", "info", "debug"]


class ServedBase(BaseModel):
    """Where a knowledge base lies: its folder, and the servers that questions are answered from.

    Attributes:
        records: The folder.
        graph: Address of the server that it is published to, such as `neo4j://host:7687`; None
            where the folder itself answers.
        vectors: Address of the server that its vectors are published to, such as
            `http://host:19530`, or the path of a Milvus Lite file; None where the vectors are those
            of `graph`, or of the folder.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    records: Path
    graph: str | None = None
    vectors: str | None = None

    @property
    def is_served(self) -> bool:
        """Whether a server has a part in answering."""
        return self.graph is not None or self.vectors is not None

    @model_validator(mode="before")
    @classmethod
    def _of_a_path(cls, value: Any) -> Any:
        return {"records": value} if isinstance(value, str | Path) else value


class Price(BaseModel):
    """Dollars per million tokens."""

    prompt: float = 0.0
    completion: float = 0.0

    def usd(self, prompt_tokens: int, completion_tokens: int = 0) -> float:
        """Return what so many tokens cost."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


class Rights(BaseModel):
    """Rights of one who asks `hoptrail web`."""

    model_config = ConfigDict(extra="forbid")

    bases: list[str] | None = Field(default=None, description="Knowledge bases; all if left out.")
    presets: list[str] | None = Field(default=None, description="Presets; all if left out.")
    filter: str | None = Field(
        default=None, description="Documents that it may see; a request can only narrow it."
    )
    requests_per_minute: int | None = Field(default=None, ge=1, description="Questions a minute.")
    usd_per_day: float | None = Field(default=None, ge=0, description="Dollars a day (UTC).")
    writes: bool = Field(default=False, description="Whether it may upload and delete documents.")
    reviews: bool = Field(
        default=False,
        description="Whether it reads the feedback of all readers, and saves answers for all.",
    )


class Tracing(BaseModel):
    """Choices of traces and metrics; where they are sent, say the variables `OTEL_*`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    enabled: bool | None = Field(
        default=None,
        description="Whether the commands send traces and metrics; by default where a variable "
        "such as OTEL_EXPORTER_OTLP_ENDPOINT names a collector.",
    )
    capture_content: bool = Field(
        default=False,
        description="Whether spans hold texts too: questions, answers, prompts, replies, passages.",
    )


class ApiKey(Rights):
    """Rights of the holder of a key of `hoptrail web`."""

    sha256: str = Field(pattern="^[0-9a-f]{64}$", description="Hash of the key: `hoptrail key`.")


class IdentityToken(BaseModel):
    """How the JSON Web Token is checked in which a proxy names who is logged in."""

    model_config = ConfigDict(extra="forbid")

    keys: Path = Field(
        description="File with the issuer's public key (PEM), or with several (a JSON Web Key Set)."
    )
    audience: str = Field(min_length=1, description="Audience that the token must be meant for.")
    issuer: str | None = Field(default=None, description="Issuer that it must come from.")
    claim: str = Field(default="sub", min_length=1, description="Claim that names the person.")


class SignOn(BaseModel):
    """Single sign-on: a proxy in front of `hoptrail web` logs people in and names them."""

    model_config = ConfigDict(extra="forbid")

    header: str = Field(
        pattern=r"^[A-Za-z0-9-]+$", description="Header that names who is logged in."
    )
    proxies: list[IPvAnyNetwork] = Field(
        min_length=1, description="Addresses and networks of the proxies that may send it."
    )
    token: IdentityToken | None = Field(
        default=None, description="How the header is checked where it holds a JSON Web Token."
    )
    rights: Rights = Field(default_factory=Rights, description="Rights of whoever is logged in.")
    people: dict[str, Rights] = Field(
        default_factory=dict, description="Rights of single people in place of these, by name."
    )

    @model_validator(mode="after")
    def _believes_not_everybody(self) -> SignOn:
        if self.token is None and self.header.lower() == "authorization":
            raise ValueError("Authorization holds no plain name: set sign_on.token")
        if self.token is None and any(network.prefixlen == 0 for network in self.proxies):
            raise ValueError("a network of every address lets anybody send the header")
        return self


class SourceSettings(BaseModel):
    """A source that `index` and `sync` know by name: a loader, a crawl or an object store."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    loader: str | None = Field(
        default=None, description="Loader of LangChain or reader of LlamaIndex: `module:Class`."
    )
    crawl: str | None = Field(default=None, description="Address of the web to begin with.")
    store: str | None = Field(
        default=None, description="Address of an object store, such as `s3://bucket/folder`."
    )
    args: dict[str, Any] = Field(
        default_factory=dict,
        description="Arguments of the loader or the object store; `$NAME` is that variable.",
    )
    id: str | list[str] = Field(
        default_factory=list, description="Fields of a loader's metadata that make the ids."
    )
    depth: int | None = Field(default=None, ge=0, description="Links from the first page.")
    below: bool = Field(default=False, description="Whether pages above the first are left out.")
    delay: float | None = Field(default=None, ge=0, description="Seconds between two requests.")
    private_addresses: bool = Field(
        default=False, description="Whether a crawl may fetch from this machine and your network."
    )
    max_documents: int | None = Field(default=None, ge=1, description="Documents at most.")
    max_seconds: float | None = Field(default=None, gt=0, description="Seconds at most.")

    @model_validator(mode="after")
    def _is_one_of_three(self) -> SourceSettings:
        given = [one for one in (self.loader, self.crawl, self.store) if one is not None]
        if len(given) != 1:
            raise ValueError("give one of loader, crawl and store")
        return self


class Settings(BaseSettings):
    """Everything that is the machine's or the operator's choice, never a request's.

    A server client can name only the knowledge bases and models that are listed here.
    """

    model_config = SettingsConfigDict(
        env_prefix="HOPTRAIL_",
        env_nested_delimiter="__",
        toml_file="hoptrail.toml",
        extra="forbid",
    )

    model: str | None = Field(default=None, description="Default chat model, `provider:name`.")
    base_url: str | None = Field(
        default=None, description="OpenAI-compatible server of the default model."
    )
    api_key: SecretStr | None = Field(default=None, description="Key for `base_url`.")
    small_model: bool | None = Field(
        default=None,
        description="Whether the model is a small one, which reads best in one short prompt: "
        "`auto` then asks it so, and only where no plain answer is found without it. By default "
        "for `gguf:`, `ollama:` and servers chosen by `hoptrail model use`.",
    )
    models: dict[Role, str] = Field(default_factory=dict, description="Chat model by role.")
    graph_llm: str | None = Field(
        default=None,
        description="What the model name `graph_llm` stands for: the folder of a checkpoint, or "
        "the URL of a `hoptrail serve-llm`.",
    )
    graph_llm_key: SecretStr | None = Field(
        default=None, description="Key of the server at `graph_llm`."
    )
    allowed_models: list[str] = Field(
        default_factory=list, description="Further models that a server client may name."
    )
    allowed_hosts: list[str] = Field(
        default_factory=list,
        description="Names by which clients call `hoptrail web` and `serve`, such as that of the "
        "proxy in front; `--allow-host` adds to them.",
    )
    prices: dict[str, Price] = Field(
        default_factory=dict, description="Dollars per million tokens by model name."
    )
    embedder: str = Field(
        default="all-MiniLM-L6-v2",
        description="Package, folder or hub name, or a served model, `provider:name`.",
    )
    embedder_base_url: str | None = Field(
        default=None, description="OpenAI-compatible server of the embedder `openai:NAME`."
    )
    embedder_api_key: SecretStr | None = Field(
        default=None, description="Key for `embedder_base_url`."
    )
    reranker: str | None = Field(
        default=None,
        description="Orders the passages of every retriever: `cross-encoder:NAME`, `jina:NAME`, "
        "`cohere:NAME`, or `endpoint:NAME` at `reranker_base_url`.",
    )
    reranker_base_url: str | None = Field(
        default=None,
        description="Server of the reranker `endpoint:NAME`, with `/rerank` or without.",
    )
    reranker_api_key: SecretStr | None = Field(
        default=None, description="Key for `reranker_base_url`."
    )
    reranker_candidates: int = Field(
        default=50, ge=1, le=1000, description="Passages that the reranker scores."
    )
    reranker_seconds: float = Field(
        default=10.0,
        gt=0,
        description="Longest wait for a reranker; then the retriever's order stays.",
    )
    graph_vectors: Literal["static", "full"] = Field(
        default="static",
        description="Vectors of names, relations and sentences: from the static model that comes "
        "with the default embedder, or from the embedder itself. The next run of `index`, `sync` "
        "or `reembed` makes those of a base full.",
    )
    kb: str = Field(
        default="hoptrail-kb",
        description="Knowledge base of commands without `--kb`: a folder, or a name of "
        "`knowledge_bases`.",
    )
    knowledge_bases: dict[str, ServedBase] = Field(
        default_factory=dict,
        description="Knowledge bases by name: a folder, or `records` (a folder) with `graph` and "
        "`vectors` (addresses of servers).",
    )
    sources: dict[str, SourceSettings] = Field(
        default_factory=dict,
        description="Sources by name, which `index` and `sync` take in place of a path: a "
        "`loader`, a `crawl` or a `store` each.",
    )
    checkpointer: SecretStr | None = Field(
        default=None,
        description="PostgreSQL database that keeps conversations, postgresql://USER:PASSWORD@"
        "HOST/DATABASE; else each base has a file of its own.",
    )
    prompts_dir: Path | None = Field(
        default=None, description="Folder whose files override prompts."
    )
    timeout_seconds: float = Field(
        default=60.0, gt=0, description="Longest wait for a reply, or for its next piece."
    )
    max_retries: int = Field(default=4, ge=0, description="Tries after a transient model error.")
    log_level: LogLevel = Field(
        default="off",
        description="Log of the commands on stderr, with the libraries' warnings: off, error, "
        "warning, info or debug.",
    )
    keys: dict[str, ApiKey] = Field(
        default_factory=dict, description="API keys of `hoptrail web` by the name of their holder."
    )
    tracing: Tracing = Field(
        default_factory=Tracing,
        description="What the commands send to OpenTelemetry: `enabled`, `capture_content`.",
    )
    sign_on: SignOn | None = Field(
        default=None,
        description="Single sign-on of `hoptrail web`: the header in which a proxy names who is "
        "logged in, and the proxies that are believed.",
    )
    chat_history: bool = Field(
        default=True, description="Whether `chat` keeps typed lines for the arrow keys."
    )

    def base_of(self, choice: str | Path) -> ServedBase:
        """Return the knowledge base of a listed name, else that of a folder; `./` says folder."""
        return self.knowledge_bases.get(str(choice), ServedBase(records=Path(choice)))

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments win over the environment, that over the file, all over the user's choice."""
        file = TomlConfigSettingsSource(settings_cls)
        return (init_settings, env_settings, file, _ChosenModelSource(settings_cls))


class _ChosenModelSource(PydanticBaseSettingsSource):
    """The model of `hoptrail model use`, where nothing else names a model or its server."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        return None, field_name, False

    def __call__(self) -> dict[str, Any]:
        if {"model", "base_url", "models"} & set(self.current_state):
            return {}
        return dict(chosen_settings())


def load_settings(**overrides: object) -> Settings:
    """Read the settings of this process.

    Raises:
        SettingsError: If the file or a variable cannot be used; names it.
    """
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "hoptrail.toml"
        raise SettingsError(
            f"setting {place}: {first['msg']}", hint="fix hoptrail.toml or the HOPTRAIL_* variable"
        ) from error
    except ValueError as error:
        raise SettingsError(f"hoptrail.toml: {error}", hint="see docs/settings.md") from error
