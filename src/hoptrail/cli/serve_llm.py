"""`hoptrail serve-llm`: a graph language model behind the OpenAI protocol."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hoptrail.cli import options
from hoptrail.cli.output import emit_json, warn
from hoptrail.cli.serve import require_free_port, url_of, warn_if_open
from hoptrail.core.errors import SettingsError

if TYPE_CHECKING:
    from hoptrail.models.graph_llm.model import GraphLlama
    from hoptrail.models.graph_llm.server.metrics import Backend, Metrics

_BASE = "smollm2-135m"
_VLLM_KEY = "HOPTRAIL_VLLM_KEY"


def serve_llm(
    checkpoint: Annotated[
        Path | None,
        typer.Argument(metavar="[CHECKPOINT]", help="Folder of a trained model."),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(
            "--base",
            metavar="MODEL",
            help="smollm2-135m, a GGUF file, a folder or a hub name.  [default: the checkpoint's]",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="What clients call it.  [default: its own]"),
    ] = None,
    host: options.Host = "127.0.0.1",
    port: options.Port = 8000,
    device: Annotated[str, typer.Option("--device", help="cpu, or cuda with a GPU.")] = "cpu",
    dtype: Annotated[
        str, typer.Option("--dtype", metavar="auto|float32|bfloat16|float16", help="Of the base.")
    ] = "auto",
    max_batch: Annotated[
        int, typer.Option("--max-batch", metavar="N", min=1, help="Requests decoded together.")
    ] = 32,
    queue: Annotated[
        int, typer.Option("--queue", metavar="N", min=0, help="Requests that may wait.")
    ] = 128,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            "--max-tokens", metavar="N", min=1, help="Longest reply.  [default: 512 or less]"
        ),
    ] = None,
    max_edges: Annotated[
        int, typer.Option("--max-edges", metavar="N", min=0, help="Largest graph of a request.")
    ] = 1000,
    max_body: Annotated[
        int, typer.Option("--max-body", metavar="BYTES", min=1, help="Largest request.")
    ] = 8 * 1024 * 1024,
    api_key_file: Annotated[
        Path | None,
        typer.Option(
            "--api-key-file",
            metavar="FILE",
            help="Holds the key that clients must send.  [default: HOPTRAIL_GRAPH_LLM_KEY]",
        ),
    ] = None,
    vllm_url: Annotated[
        str | None,
        typer.Option("--vllm-url", metavar="URL", help="vLLM server that decodes for this one."),
    ] = None,
    vllm_model: Annotated[
        str | None,
        typer.Option("--vllm-model", metavar="NAME", help="The base model's name there."),
    ] = None,
    llama_cpp: Annotated[
        bool,
        typer.Option("--llama-cpp", help="Let llama.cpp write replies to chats without a graph."),
    ] = False,
    grace: options.Grace = options.GRACE_SECONDS,
    assignments: options.Assignments = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="Of requests that bring none.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Serve a graph language model to OpenAI clients, without CHECKPOINT the plain base model.

    A chat request may carry the subgraph of its question as `graph`. Ctrl-C and SIGTERM let
    running replies finish.
    """
    from hoptrail.graphs.context import resolve_context

    _require_packages()
    resolve_context(options.context_fields(assignments))  # names a mistyped one
    key = _api_key(api_key_file)
    require_free_port(host, port)
    from hoptrail.models.graph_llm.server.app import GracefulServer, create_app, share_processor
    from hoptrail.models.graph_llm.server.metrics import Metrics
    from hoptrail.models.graph_llm.server.options import options_for

    share_processor()
    model = _load(checkpoint, base, dtype, device)
    metrics = Metrics()
    served = options_for(
        model.base,
        name or (checkpoint.resolve().name if checkpoint else _title(model.base.name)),
        reply_tokens=max_tokens,
        body_bytes=max_body,
        edges=max_edges,
        api_key=key,
        seed=seed,
    )
    if vllm_url is None:
        backend = _local_backend(model, max_batch, queue, metrics, llama_cpp=llama_cpp)
    else:
        backend = _vllm_backend(model, vllm_url, vllm_model, max_batch + queue)
    url = f"{url_of(host, port)}/v1"
    if key is None:
        warn_if_open(host, "asks for no key")
    if as_json:
        emit_json({"url": url, "model": served.model_name})
    else:
        warn(f"serving {served.model_name} on {url}, Ctrl-C stops")
    app = create_app(backend, served, metrics)
    GracefulServer(app, backend, host=host, port=port, patience=grace).run()


def _require_packages() -> None:
    from hoptrail.core.optional import require

    for package in ("torch_geometric", "fastapi", "uvicorn", "prometheus_client"):
        require(package, extra="graph-llm", purpose="hoptrail serve-llm")


def _api_key(file: Path | None) -> str | None:
    """Return the key of the file, or of the settings."""
    from hoptrail.core.settings import load_settings

    if file is None:
        key = load_settings().graph_llm_key
        return key.get_secret_value() if key and key.get_secret_value() else None
    try:
        text = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"--api-key-file {file} cannot be read: {error}") from error
    if not text:
        raise SettingsError(f"--api-key-file {file} is empty", hint="write the key into it")
    return text


def _load(checkpoint: Path | None, base: str | None, dtype: str, device: str) -> GraphLlama:
    """Return the model of a checkpoint, or the base model without an encoder."""
    from hoptrail.models.graph_llm.base_model import load_base_model

    if checkpoint is not None:
        from hoptrail.models.graph_llm.checkpoint import load_checkpoint

        own_base = load_base_model(base, dtype=dtype, device=device) if base else None
        return load_checkpoint(checkpoint, base=own_base, dtype=dtype, device=device)
    from hoptrail.core.settings import load_settings
    from hoptrail.models.embedder import load_embedder
    from hoptrail.models.graph_llm.config import GraphLlamaConfig
    from hoptrail.models.graph_llm.model import GraphLlama

    plain = GraphLlamaConfig(encoder="none")
    loaded = load_base_model(base or _BASE, dtype=dtype, device=device)
    return GraphLlama(loaded, plain, load_embedder(load_settings().embedder)).eval()


def _title(base: str) -> str:
    """Return what clients call a base model: of a file or folder its last part."""
    return Path(base).name if Path(base).is_absolute() else base


def _local_backend(
    model: GraphLlama, max_batch: int, queue: int, metrics: Metrics, *, llama_cpp: bool
) -> Backend:
    from hoptrail.models.graph_llm.engine import GraphEngine
    from hoptrail.models.graph_llm.server.llama_cpp_backend import LlamaCppBackend, plain_file

    file = plain_file(model) if llama_cpp else None
    engine = GraphEngine(
        model, most_running=max_batch, queue_limit=queue, on_step=metrics.batch.observe
    )
    return engine if file is None else LlamaCppBackend(model, file, engine)


def _vllm_backend(model: GraphLlama, url: str, name: str | None, most: int) -> Backend:
    from hoptrail.models.graph_llm.server.vllm_backend import VllmBackend, api_url, try_vllm

    url, key = api_url(url), os.environ.get(_VLLM_KEY)
    name = asyncio.run(try_vllm(model, url, name, api_key=key))
    return VllmBackend(model, url, name, api_key=key, most_unfinished=most)
