"""Embedders by their names, behind LangChain's `init_embeddings`, or given as `Embeddings`."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hoptrail.core.errors import ModelKeyError, SettingsError
from hoptrail.core.settings import Settings
from hoptrail.models.caller import Caller
from hoptrail.models.embedding.texts import Prefixes, prefixes_of
from hoptrail.models.loop_resources import LoopResources, background_loop, loop_resources
from hoptrail.models.remote_embedder import MOST_TEXTS, LangChainEmbedder

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings

_KEYS = {
    "openai": "OPENAI_API_KEY",
    "azure_openai": "AZURE_OPENAI_API_KEY",
    "cohere": "COHERE_API_KEY",
    "google_genai": "GOOGLE_API_KEY",
    "mistralai": "MISTRAL_API_KEY",
}
_HOSTS = {"openai": "api.openai.com", "cohere": "api.cohere.com", "mistralai": "api.mistral.ai"}
_OLLAMA = "ollama"
# Their protocol has no word for the difference between questions and passages.
_SYMMETRIC = frozenset({"openai", "azure_openai", _OLLAMA})

_lock = threading.Lock()
_opened: dict[tuple[object, ...], LangChainEmbedder] = {}


def embedder_key(name: str, settings: Settings) -> bool | None:
    """Return whether the key of an embedder is set; None where none is needed or known."""
    provider = name.partition(":")[0]
    if ":" not in name or provider not in _KEYS:
        return None
    if _has_own_server(provider, settings):
        return True if settings.embedder_api_key else None
    return bool(os.environ.get(_KEYS[provider]))


def embedder_server(name: str, settings: Settings) -> str:
    """Return who will be sent the texts of a served embedder."""
    provider = name.partition(":")[0]
    if _has_own_server(provider, settings):
        return settings.embedder_base_url or ""
    if provider == _OLLAMA:
        return os.environ.get("OLLAMA_HOST") or "this machine alone"
    return _HOSTS.get(provider, f"the servers of {provider}")


def open_served_embedder(name: str, settings: Settings) -> LangChainEmbedder:
    """Return the embedder `provider:model` as `init_embeddings` opens it, once per process.

    Nothing is sent. Hoptrail repeats failed calls itself, so the provider's own retries are off.

    Raises:
        SettingsError: If the provider is not known, or its package is not installed.
        ModelKeyError: If the provider's key is missing.
    """
    server = (settings.embedder_base_url, settings.embedder_api_key)
    limits = (settings.timeout_seconds, settings.max_retries, str(settings.prices))
    with _lock:
        key = (name, *server, *limits)
        if key not in _opened:
            _opened[key] = _open(name, settings)
        return _opened[key]


def wrap_embeddings(
    embeddings: Embeddings, settings: Settings, name: str | None = None
) -> LangChainEmbedder:
    """Return an embedder over a LangChain object of the program's own.

    Args:
        embeddings: Its synchronous methods are called, in threads: they work in every loop.
        settings: Timeout, retries and prices.
        name: Under which knowledge bases know it; else `provider:model` where the object comes
            from a provider's package and names its model, else the name of its class.
    """
    full_name = name or _name_of(embeddings)

    async def embed_documents(texts: list[str]) -> Sequence[Sequence[float]]:
        return await asyncio.to_thread(embeddings.embed_documents, texts)

    async def embed_queries(texts: list[str]) -> Sequence[Sequence[float]]:
        return await asyncio.to_thread(lambda: [embeddings.embed_query(text) for text in texts])

    caller = Caller(full_name, kind="embedder")
    return LangChainEmbedder(full_name, embed_documents, embed_queries, settings, caller)


def _open(name: str, settings: Settings) -> LangChainEmbedder:
    provider = name.partition(":")[0]
    has_own_server = _has_own_server(provider, settings)
    resources = background_loop().run(loop_resources())
    embeddings = _create(name, settings, _options(provider, settings, resources))
    _require_key(name, settings)
    prefixes = prefixes_of(name) if provider == _OLLAMA else Prefixes()

    async def embed_documents(texts: list[str]) -> Sequence[Sequence[float]]:
        return await embeddings.aembed_documents(prefixes.of_passages(texts))

    async def embed_queries(texts: list[str]) -> Sequence[Sequence[float]]:
        if provider in _SYMMETRIC:
            return await embeddings.aembed_documents(prefixes.of_questions(texts))
        return await asyncio.gather(*map(embeddings.aembed_query, texts))

    caller = Caller(
        name,
        "HOPTRAIL_EMBEDDER_API_KEY" if has_own_server else _KEYS.get(provider, ""),
        kind="embedder",
        server_variable="OLLAMA_HOST" if provider == _OLLAMA else "HOPTRAIL_EMBEDDER_BASE_URL",
    )
    return LangChainEmbedder(
        name,
        embed_documents,
        embed_queries,
        settings,
        caller,
        is_symmetric=provider in _SYMMETRIC and prefixes.are_alike,
    )


def _create(name: str, settings: Settings, options: dict[str, Any]) -> Embeddings:
    # Here, because importing it takes half a second.
    from langchain.embeddings import init_embeddings

    try:
        return init_embeddings(name, **options)
    except ImportError as error:
        package = re.search(r"pip install ([\w-]{1,80})", str(error))
        missing = package is not None and not importlib.util.find_spec(
            package.group(1).replace("-", "_")
        )
        hint = f"pip install {package.group(1)}" if package and missing else ""
        raise SettingsError(f"embedder {name}: its package is missing", hint=hint) from error
    except Exception as error:  # each package has its own for a missing key or address
        _require_key(name, settings)
        known = ", ".join(re.findall(r"- (\w{1,40}):", str(error)))
        reason = str(error).strip().partition("\n")[0]
        hint = f"known providers: {known}" if known else "see the provider's page of LangChain"
        raise SettingsError(f"embedder {name}: {reason}", hint=hint) from error


def _require_key(name: str, settings: Settings) -> None:
    if embedder_key(name, settings) is False:
        variable = _KEYS[name.partition(":")[0]]
        raise ModelKeyError(f"no key for embedder {name}", hint=f"set {variable}")


def _options(provider: str, settings: Settings, resources: LoopResources) -> dict[str, Any]:
    if provider == _OLLAMA:
        # Its library takes no client: connections would outlive the loop.
        kwargs = {"timeout": settings.timeout_seconds, "transport": resources.new_transport()}
        return {"async_client_kwargs": kwargs}
    if provider not in _SYMMETRIC:
        return {}
    options: dict[str, Any] = {
        "max_retries": 0,
        "timeout": settings.timeout_seconds,
        "http_async_client": resources.client,
        "chunk_size": MOST_TEXTS,
        # Else it sends the numbers of tokens, which other servers do not read, and downloads the
        # vocabulary for that. Texts are cut to length before.
        "check_embedding_ctx_length": False,
    }
    if _has_own_server(provider, settings):
        # The key of one server is never sent to another one.
        key = settings.embedder_api_key
        options |= {
            "base_url": settings.embedder_base_url,
            "api_key": key.get_secret_value() if key else "none",
        }
    return options


def _has_own_server(provider: str, settings: Settings) -> bool:
    return provider == "openai" and bool(settings.embedder_base_url)


def _name_of(embeddings: Embeddings) -> str:
    package = type(embeddings).__module__.partition(".")[0]
    model = next(
        (value for field in ("model", "model_name") if (value := getattr(embeddings, field, ""))),
        None,
    )
    if isinstance(model, str) and package.startswith("langchain_") and package != "langchain_core":
        return f"{package.removeprefix('langchain_')}:{model}"
    kind = type(embeddings).__name__
    return f"{kind}:{model}" if isinstance(model, str) else kind
