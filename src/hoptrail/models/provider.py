"""Chat models by their names, behind LangChain's `init_chat_model`."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from typing import TYPE_CHECKING, Any

from hoptrail.core.errors import ModelKeyError, SettingsError
from hoptrail.core.settings import Settings
from hoptrail.models.choice import GRAPH_LLM, call_seconds, is_model_file, registered_chat_model
from hoptrail.models.loop_resources import LoopResources, loop_resources, name_trace

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from hoptrail.models.local.gguf_server import Endpoint

_KEYS = {"openai": "OPENAI_API_KEY", "groq": "GROQ_API_KEY"}
_HOSTS = {
    "openai": "api.openai.com",
    "groq": "api.groq.com",
    "anthropic": "api.anthropic.com",
}
_TAKES_HTTP_CLIENT = frozenset(_KEYS)


async def open_chat_model(name: str, settings: Settings) -> BaseChatModel:
    """Return the registered model of that name, or `provider:model` as `init_chat_model` opens it.

    Nothing is sent. Hoptrail repeats failed calls itself, so the provider's own retries are off.

    Raises:
        SettingsError: If the name has no provider, or its package is not installed.
        ModelKeyError: If the provider's key is missing.
    """
    registered = registered_chat_model(name)
    if registered is not None:
        return registered
    resources = await loop_resources()
    server = (settings.base_url, settings.api_key, settings.graph_llm, settings.graph_llm_key)
    # Asked each time: its server may have been ended meanwhile. Loading is no part of a call.
    endpoint = await asyncio.to_thread(_attach, name) if is_model_file(name) else None
    key = (name, *server, endpoint, settings.timeout_seconds)
    if key not in resources.models:
        # Importing a provider's library and reading certificates would block the loop.
        resources.models[key] = await asyncio.to_thread(
            _create, name, settings, resources, endpoint
        )
    return resources.models[key]


async def calls_ahead(name: str) -> int:
    """Return how many prompts a model file reads before one that is sent now, of any process."""
    if not is_model_file(name):
        return 0
    from hoptrail.models.local.gguf_chat_model import count_waiting

    resources = await loop_resources()
    return await count_waiting(await asyncio.to_thread(_attach, name), resources.client)


def has_key(name: str, settings: Settings) -> bool | None:
    """Return whether the key of a model's provider is set; None where none is needed or known."""
    provider = name.partition(":")[0]
    if name == GRAPH_LLM:
        return True if settings.graph_llm_key else None
    if registered_chat_model(name) is not None or provider not in _KEYS:
        return None
    if provider == "openai" and settings.base_url:
        return True if settings.api_key else None
    return bool(os.environ.get(_KEYS[provider]))


def key_variable(name: str, settings: Settings) -> str:
    """Return the environment variable that holds a model's key; empty where it has none."""
    provider = name.partition(":")[0]
    if name == GRAPH_LLM:
        return "HOPTRAIL_GRAPH_LLM_KEY"
    if registered_chat_model(name) is not None:
        return ""
    if provider == "openai" and settings.base_url:
        return "HOPTRAIL_API_KEY"
    return _KEYS.get(provider, f"{provider.upper()}_API_KEY")


def server_variable(name: str) -> str:
    """Return the environment variable that holds the address of a model's server, if any does."""
    if name == GRAPH_LLM:
        return "HOPTRAIL_GRAPH_LLM"
    return "HOPTRAIL_BASE_URL" if name.partition(":")[0] == "openai" else ""


def model_server(name: str, settings: Settings) -> str:
    """Return who is sent the prompts of a model: the address that is set, else a host."""
    provider = name.partition(":")[0]
    if name == GRAPH_LLM:
        return settings.graph_llm or name
    if is_model_file(name):
        return "this machine alone"
    if provider == "ollama":
        return os.environ.get("OLLAMA_HOST") or "this machine alone"
    if provider == "openai" and settings.base_url:
        return settings.base_url
    return _HOSTS.get(provider, f"the servers of {provider}")


def _create(
    name: str, settings: Settings, resources: LoopResources, endpoint: Endpoint | None
) -> BaseChatModel:
    if name == GRAPH_LLM:
        return _create_graph_llm(settings)
    if endpoint is not None:
        # Here, because importing it takes half a second.
        from hoptrail.models.local.gguf_chat_model import open_gguf

        return open_gguf(name, endpoint, resources.client)
    provider, _, model = name.partition(":")
    if not model:
        raise SettingsError(
            f"model {name!r} names no provider", hint="write it as openai:NAME or groq:NAME"
        )
    if has_key(name, settings) is False:
        raise ModelKeyError(f"no key for model {name}", hint=f"set {_KEYS[provider]}")
    # Here, because importing it takes half a second.
    from langchain.chat_models import init_chat_model

    try:
        opened: BaseChatModel = init_chat_model(
            model, model_provider=provider, **_options(provider, settings, resources)
        )
    except ImportError as error:
        package = f"langchain-{provider.replace('_', '-')}"
        installed = importlib.util.find_spec(package.replace("-", "_")) is not None
        hint = "" if installed else f"pip install {package}"
        raise SettingsError(f"model {name}: {error}", hint=hint) from error
    except ValueError as error:
        if f"{provider=}" not in str(error):
            raise SettingsError(f"model {name}: {_first_line(error)}") from error
        raise SettingsError(
            f"model {name}: no provider is called {provider!r}",
            hint="one that LangChain knows goes before the colon, as in openai:NAME, groq:NAME or "
            "ollama:NAME",
        ) from error
    if "stream_chunk_timeout" in type(opened).model_fields:  # how long is waited, says the caller
        return opened.model_copy(update={"stream_chunk_timeout": None})
    return opened


def _attach(name: str) -> Endpoint:
    from hoptrail.models.local.gguf_server import attach
    from hoptrail.models.local.model_files import model_path

    return attach(model_path(name.partition(":")[2]))


def _create_graph_llm(settings: Settings) -> BaseChatModel:
    from hoptrail.models.graph_llm.chat import ChatGraphLlama

    opened = ChatGraphLlama(
        model=settings.graph_llm or "",
        api_key=settings.graph_llm_key,
        timeout=settings.timeout_seconds,
        max_retries=0,
    )
    # Loading is no part of a call, and so not of its time limit.
    opened.prepare()
    return opened


def _options(provider: str, settings: Settings, resources: LoopResources) -> dict[str, Any]:
    if provider == "ollama":
        seconds = call_seconds(f"{provider}:", settings.timeout_seconds)
        # Its library takes no client: connections would outlive the loop.
        kwargs = {
            "timeout": seconds,
            "transport": resources.new_transport(),
            "event_hooks": {"request": [name_trace]},
        }
        return {"reasoning": False, "async_client_kwargs": kwargs}
    if provider not in _TAKES_HTTP_CLIENT:
        return {}
    options: dict[str, Any] = {
        "max_retries": 0,
        "timeout": settings.timeout_seconds,
        "http_async_client": resources.client,
    }
    if provider == "openai":
        options["stream_usage"] = True
        if settings.base_url:
            # The key of one server is never sent to another one.
            key = settings.api_key.get_secret_value() if settings.api_key else "none"
            options |= {"base_url": settings.base_url, "api_key": key}
    return options


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
