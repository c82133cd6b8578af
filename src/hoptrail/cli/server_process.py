"""The process of the LangGraph server: its settings, its folder, its environment and its log."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import SecretStr, TypeAdapter

from hoptrail.cli.gate_rules import LARGEST_BODY
from hoptrail.core.errors import HoptrailError
from hoptrail.core.settings import ServedBase, Settings, load_settings

_RUNS_AT_ONCE = 10  # most of a run is waiting for a model
_LAST_BYTES_SECONDS = 5  # to send what is written, after the answers are finished or cut off
# What of the LangGraph server is off; the application before it decides about the rest.
_HTTP: Any = {
    **{f"disable_{name}": True for name in ("store", "mcp", "a2a", "ui", "webhooks")},
    "app": "hoptrail.cli.served_app:app",
    "cors": {"allow_origins": []},
}
# They would open again what is closed here, or move it past the gate.
_OVERRIDES = ("CORS_CONFIG", "MOUNT_PREFIX", "LANGGRAPH_MOUNT_PREFIX")
_TRACING = (
    "LANGSMITH_TRACING",
    "LANGSMITH_TRACING_V2",
    "LANGCHAIN_TRACING_V2",
    "LANGCHAIN_TRACING",
)
_RUNS = "langgraph_api.worker"
_REQUESTS = "langgraph_api.server"
_OWN_ERROR = "<class 'hoptrail.core.errors."
_FIRST_REPORT = "Run encountered an error"  # a second one follows, of the run as a whole


_NAMED_BY_PATH = {
    "model": "gguf:",
    "embedder": "",
    "reranker": "cross-encoder:",
    "graph_llm": "",
}
"""By setting that may name a file or a folder: the words before its path."""


def pin_settings() -> Settings:
    """Fix this process's settings as they are, with absolute paths, and return them.

    They go into its environment, where `load_settings` finds them from any directory.

    Raises:
        SettingsError: If `hoptrail.toml` or a variable cannot be used.
    """
    settings = _absolute(load_settings())
    for name in settings.model_fields_set:
        value = getattr(settings, name)
        if value is not None:
            os.environ[f"HOPTRAIL_{name.upper()}"] = _as_text(value)
    return settings


def _absolute(settings: Settings) -> Settings:
    changes: dict[str, Any] = {
        "knowledge_bases": {name: _placed(one) for name, one in settings.knowledge_bases.items()},
        "models": {role: _in_full(name, "gguf:") for role, name in settings.models.items()},
        "allowed_models": [_in_full(name, "gguf:") for name in settings.allowed_models],
    }
    if settings.prompts_dir is not None:
        changes["prompts_dir"] = settings.prompts_dir.resolve()
    for field, kind in _NAMED_BY_PATH.items():
        if (value := getattr(settings, field)) is not None:
            changes[field] = _in_full(value, kind)
    set_before = settings.model_fields_set
    return settings.model_copy(update={n: v for n, v in changes.items() if n in set_before})


def _placed(base: ServedBase) -> ServedBase:
    """Return a base with its folder and its Milvus Lite file, if it has one, in full."""
    vectors = base.vectors
    if vectors is not None and "://" not in vectors:
        vectors = str(Path(vectors).resolve())
    return base.model_copy(update={"records": base.records.resolve(), "vectors": vectors})


def _in_full(name: str, kind: str) -> str:
    """Return what stands for a model with its path in full, where it names one that is there."""
    path = Path(name.removeprefix(kind))
    return f"{kind}{path.resolve()}" if name.startswith(kind) and path.exists() else name


def _as_text(value: Any) -> str:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    if isinstance(value, str | Path):
        return str(value)
    return TypeAdapter(Any).dump_json(value).decode()


def run_server(host: str, port: int, graph: str) -> None:
    """Run the LangGraph server in this process until it is stopped, its log on stderr."""
    _set_environment()
    # Uvicorn has handlers of its own while it runs, and repeats the signal at its end.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with private_folder(), redirect_stdout(sys.stderr):
        # Here, since importing it already looks for the files of an earlier server.
        from langgraph_api.cli import run_server as run_langgraph  # type: ignore[import-untyped]

        run_langgraph(
            host,
            port,
            graphs={"hoptrail": graph},
            http=_HTTP,
            n_jobs_per_worker=_RUNS_AT_ONCE,
            disable_persistence=True,
            timeout_graceful_shutdown=_LAST_BYTES_SECONDS,
        )


@contextmanager
def private_folder() -> Iterator[Path]:
    """Work in a new folder that only this user can read, and remove it at the end.

    The LangGraph server unpickles what it finds in `.langgraph_api` of the working directory, which
    may be somebody else's: whoever wrote it would run code here.

    Raises:
        HoptrailError: If there is a pickle nevertheless.
    """
    with TemporaryDirectory(prefix="hoptrail-serve-") as name, chdir(name):
        folder = Path.cwd()
        require_no_pickle(folder)
        yield folder


def require_no_pickle(folder: Path) -> None:
    """Raise HoptrailError if the folder holds anything that the LangGraph server would unpickle."""
    if (folder / ".langgraph_api").exists():
        raise HoptrailError(
            f"{folder} holds files of another LangGraph server, which could run code here",
            hint="set TMPDIR to a folder that only you can write",
        )


def _set_environment() -> None:
    """Set what the LangGraph server reads from its environment alone, and silence its banner."""
    for name in _OVERRIDES:
        os.environ.pop(name, None)
    # Neither a version check, usage reports nor traces should leave the machine unasked.
    os.environ.setdefault("LANGGRAPH_NO_VERSION_CHECK", "true")
    os.environ.setdefault("LANGSMITH_CONTROL_PLANE_API_KEY", "")
    # It hands the context of a request on to the run, and makes no exporter of its own.
    os.environ.setdefault("OTEL_ENABLED", "true")
    if not any(name in os.environ for name in _TRACING):
        os.environ["LANGSMITH_TRACING"] = "false"
    os.environ.setdefault("LOG_LEVEL", "WARNING")
    os.environ.setdefault("LOG_COLOR", str(sys.stderr.isatty()).lower())
    os.environ["HTTP_MAX_REQUEST_BODY_BYTES"] = str(LARGEST_BODY)
    logging.getLogger("langgraph_api.cli").setLevel(logging.WARNING)
    # The client gets the message of an error too: one line says all.
    logging.getLogger(_RUNS).addFilter(OneLineForOwnErrors())
    logging.getLogger(_REQUESTS).addFilter(WithoutRequestTexts())


class WithoutRequestTexts(logging.Filter):
    """Leaves out why a request was refused, which quotes it: the client is told, and no log is."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return that the record is logged, without what the request held."""
        if isinstance(record.msg, dict):
            record.msg.pop("error_detail", None)
        return True


class OneLineForOwnErrors(logging.Filter):
    """Leaves out the traceback of errors whose message says all: the client gets that too."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is logged; its traceback is dropped where it is no bug's."""
        entry: object = record.msg
        if not isinstance(entry, dict):  # the server's own form, its traceback already a text
            return True
        event = str(entry.get("event", ""))
        if _OWN_ERROR not in event:
            return True
        entry.pop("exception", None)
        return not event.startswith(_FIRST_REPORT)
