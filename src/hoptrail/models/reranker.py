"""Rerankers by name: of this machine, of a service, or of the program's own."""

from __future__ import annotations

import os
import threading
from collections.abc import Collection, Mapping

from hoptrail.core.errors import ModelKeyError, SettingsError
from hoptrail.core.reranking import NO_RERANKER, Reranker
from hoptrail.core.settings import Settings

_CROSS_ENCODER = "cross-encoder"
_ENDPOINT = "endpoint"
_KEY_OF_ENDPOINT = "HOPTRAIL_RERANKER_API_KEY"
_SERVER_OF_ENDPOINT = "HOPTRAIL_RERANKER_BASE_URL"
_KEYS: Mapping[str, str] = {"jina": "JINA_API_KEY", "cohere": "COHERE_API_KEY"}
_URLS: Mapping[str, str] = {
    "jina": "https://api.jina.ai/v1/rerank",
    "cohere": "https://api.cohere.com/v2/rerank",
}

_lock = threading.Lock()
_loaded: dict[tuple[object, ...], Reranker] = {}
_registered: dict[str, Reranker] = {}


def register_reranker(name: str, reranker: Reranker) -> None:
    """Make a reranker of one's own usable by name; a second one of the name replaces it."""
    _registered[name] = reranker


def chosen_reranker(
    name: str | None, settings: Settings, allowed: Collection[str] = ()
) -> str | None:
    """Return the name of the reranker that a request gets, None where it gets none.

    Args:
        name: As the request names it: None takes that of the settings, "none" none.
        settings: Its own reranker, and others that it allows.
        allowed: Further ones that may be named.

    Raises:
        SettingsError: If the request names one that is not listed here.
    """
    if name is None:
        return settings.reranker if settings.reranker != NO_RERANKER else None
    if name == NO_RERANKER:
        return None
    listed = {settings.reranker, *settings.allowed_models, *allowed, *_registered}
    if name not in listed:
        raise SettingsError(
            f"reranker {name!r} is not listed here",
            hint="add it to allowed_models in hoptrail.toml",
        )
    return name


def as_reranker(given: str | Reranker | None, settings: Settings) -> Reranker | None:
    """Return the reranker that a program named or gave, None where it is to be none.

    Args:
        given: A name, as `load_reranker` knows it, or "none"; a reranker; None for that of the
            settings.
        settings: Server, key and limits.

    Raises:
        SettingsError: If a name is not found, or it is none of these.
    """
    if given is None:
        given = settings.reranker or NO_RERANKER
    if isinstance(given, str):
        return None if given == NO_RERANKER else load_reranker(given, settings)
    if callable(getattr(given, "score", None)):
        return given
    raise SettingsError(
        f"{type(given).__name__} is no reranker",
        hint="give a name, or an object with name and score",
    )


def load_reranker(name: str, settings: Settings) -> Reranker:
    """Return the reranker of that name, loaded once per process; nothing is sent.

    Args:
        name: A registered name, `cross-encoder:NAME` (a folder, or a name on the Hugging Face hub),
            `jina:NAME`, `cohere:NAME`, or `endpoint:NAME` at `reranker_base_url`.
        settings: Server, key and limits.

    Raises:
        SettingsError: If it is not found; says what to do.
        MissingExtraError: If it needs Sentence Transformers, and that is not installed.
        ModelKeyError: If its key is missing.
    """
    if name in _registered:
        return _registered[name]
    server = (settings.reranker_base_url, settings.reranker_api_key)
    limits = (settings.reranker_seconds, settings.max_retries, str(settings.prices))
    key = (name, *server, *limits, os.environ.get(_KEYS.get(name.partition(":")[0], "")))
    with _lock:
        if key not in _loaded:
            _loaded[key] = _load(name, settings)
        return _loaded[key]


def reranker_key(name: str, settings: Settings) -> bool | None:
    """Return whether the key of a reranker is set; None where none is needed or known."""
    provider = name.partition(":")[0]
    if name in _registered:
        return None
    if provider == _ENDPOINT:
        return True if settings.reranker_api_key else None
    return bool(os.environ.get(_KEYS[provider])) if provider in _KEYS else None


def _load(name: str, settings: Settings) -> Reranker:
    provider, _, model = name.partition(":")
    if not model or provider not in (_CROSS_ENCODER, _ENDPOINT, *_URLS):
        raise SettingsError(
            f"unknown reranker {name!r}",
            hint="write it as cross-encoder:NAME, jina:NAME, cohere:NAME or endpoint:NAME",
        )
    if provider == _CROSS_ENCODER:
        # Here, because others need no torch.
        from hoptrail.models.cross_encoder_reranker import load_cross_encoder

        return load_cross_encoder(name, model, settings.reranker_seconds)
    return _connect(name, provider, settings)


def _connect(name: str, provider: str, settings: Settings) -> Reranker:
    from hoptrail.models.caller import Caller
    from hoptrail.models.http_reranker import HttpReranker, rerank_url
    from hoptrail.models.prices import known_price

    is_own = provider == _ENDPOINT
    if is_own and not settings.reranker_base_url:
        raise SettingsError(
            f"reranker {name} has no server",
            hint=f"set {_SERVER_OF_ENDPOINT}, such as http://127.0.0.1:8080/v1",
        )
    if reranker_key(name, settings) is False:
        raise ModelKeyError(f"no key for reranker {name}", hint=f"set {_KEYS[provider]}")
    # The key of one server is never sent to another one.
    own_key = settings.reranker_api_key
    key = own_key.get_secret_value() if own_key else ""
    return HttpReranker(
        name,
        rerank_url(settings.reranker_base_url or "") if is_own else _URLS[provider],
        key if is_own else os.environ[_KEYS[provider]],
        seconds=settings.reranker_seconds,
        max_retries=settings.max_retries,
        price=known_price(name, settings.prices),
        caller=Caller(
            name,
            _KEY_OF_ENDPOINT if is_own else _KEYS[provider],
            kind="reranker",
            server_variable=_SERVER_OF_ENDPOINT if is_own else "",
        ),
    )
