"""`hoptrail train`: a graph language model on questions with gold answers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from hoptrail.cli import options
from hoptrail.cli.output import emit, grid, notes
from hoptrail.core.errors import SettingsError, UnknownNameError

if TYPE_CHECKING:
    from rich.console import Console

    from hoptrail.eval.graph_llm.training import GraphTraining
    from hoptrail.models.graph_llm.config import GraphLlamaConfig
    from hoptrail.models.graph_llm.training.forecast import Forecast
    from hoptrail.models.graph_llm.training.options import TrainingOptions

_GIBIBYTE = 2**30
_TABLES = ("parameters", "model", "training")
_OF_RETRIEVERS = {"k", "budget"}
_Choices = TypeVar("_Choices")


def train(
    questions: Annotated[
        Path, typer.Option("--questions", metavar="FILE", help="JSONL of questions with answers.")
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder of checkpoint, curves and states.")
    ],
    graphs: Annotated[
        Path | None, typer.Option("--graphs", metavar="FILE", help="A graph for each question.")
    ] = None,
    kb: Annotated[
        str | None,
        typer.Option("--kb", metavar="DIR", help="Knowledge base to retrieve subgraphs from."),
    ] = None,
    validation: Annotated[
        Path | None,
        typer.Option(
            "--validation",
            metavar="FILE",
            help="Questions that choose the best checkpoint.  [default: a tenth of --questions]",
        ),
    ] = None,
    validation_graphs: Annotated[
        Path | None,
        typer.Option(
            "--validation-graphs", metavar="FILE", help="Their graphs.  [default: --graphs]"
        ),
    ] = None,
    retriever: Annotated[
        str, typer.Option("--retriever", metavar="R", help="What finds the subgraphs.")
    ] = "multistage",
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="parameters.X of the retriever, training.X, model.X, k, budget; repeatable.",
        ),
    ] = None,
    base: Annotated[
        str,
        typer.Option(
            "--base", metavar="MODEL", help="smollm2-135m, a GGUF file, a folder or a hub name."
        ),
    ] = "smollm2-135m",
    encoder: Annotated[
        str | None,
        typer.Option(
            "--encoder", metavar="gat|transformer|constant|none", help="What reads the graph."
        ),
    ] = None,
    gate: Annotated[
        str | None,
        typer.Option(
            "--gate", metavar="mlp|cosine|none", help="How the question weighs the graph."
        ),
    ] = None,
    readout: Annotated[
        str | None,
        typer.Option(
            "--readout", metavar="pointer|pooled", help="How node states become graph tokens."
        ),
    ] = None,
    graph_tokens: Annotated[
        int | None,
        typer.Option("--graph-tokens", metavar="N", help="Tokens that a graph becomes."),
    ] = None,
    triples: Annotated[
        int | None,
        typer.Option("--triples", metavar="N", help="Triples of the text form; 0 for none."),
    ] = None,
    lora: Annotated[
        int | None,
        typer.Option("--lora", metavar="RANK", help="Low-rank adapters in the base; 0 for none."),
    ] = None,
    lora_layers: Annotated[
        str | None,
        typer.Option("--lora-layers", metavar="all|upper-third", help="Layers with adapters."),
    ] = None,
    init: Annotated[
        Path | None,
        typer.Option("--init", metavar="DIR", help="Checkpoint to start from."),
    ] = None,
    epochs: Annotated[
        int | None, typer.Option("--epochs", metavar="N", help="Passes over the questions.")
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option("--steps", metavar="N", help="Most optimiser steps after the alignment."),
    ] = None,
    batch: Annotated[
        int | None, typer.Option("--batch", metavar="N", help="Questions at once.")
    ] = None,
    lr: Annotated[
        float | None, typer.Option("--lr", metavar="X", help="Highest learning rate.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="First N questions only.")
    ] = None,
    validation_limit: Annotated[
        int | None,
        typer.Option(
            "--validation-limit", metavar="N", help="Questions of a validation.  [default: 80]"
        ),
    ] = None,
    device: Annotated[
        str, typer.Option("--device", metavar="cpu|cuda", help="Where the model computes.")
    ] = "cpu",
    dtype: Annotated[
        str,
        typer.Option(
            "--dtype", metavar="auto|float32|bfloat16|float16", help="Numbers of the base model."
        ),
    ] = "auto",
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache",
            metavar="DIR",
            help="Subgraphs and vectors, kept for later runs.  [default: .graph-llm beside --out]",
        ),
    ] = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Train the graph encoder and projector of a graph language model; its base stays frozen.

    The same command again continues an interrupted run, to the same result.
    """
    if (graphs is None) == (kb is None):
        raise typer.BadParameter("give exactly one of --graphs and --kb")
    if validation_graphs is not None and (validation is None or graphs is None):
        raise typer.BadParameter("--validation-graphs needs --validation and --graphs")
    tables = tables_of(assignments)
    chosen = {
        "encoder": encoder,
        "gate": gate,
        "readout": readout,
        "graph_tokens": graph_tokens,
        "triples": triples,
        "low_rank": lora,
        "low_rank_layers": lora_layers,
    }
    config = config_of(tables["model"], chosen)
    if init is not None and config is not None:
        raise typer.BadParameter("--init brings its own model: leave out what describes another")
    course = options_of(
        tables["training"],
        {
            "epochs": epochs,
            "max_steps": steps,
            "batch_size": batch,
            "learning_rate": lr,
            "validate_limit": validation_limit,
            "seed": seed,
        },
    )

    from hoptrail.eval.graph_llm.sources import Retrieving
    from hoptrail.eval.graph_llm.training import GraphTraining, QuestionFile
    from hoptrail.models.graph_llm.config import GraphLlamaConfig

    retrieving = Retrieving(retriever, tables["parameters"])
    learned = QuestionFile(questions, graphs, kb, retrieving, limit)
    held_out = None
    if validation is not None:
        held_out = QuestionFile(validation, validation_graphs or graphs, kb, retrieving)
    run = GraphTraining(
        training=learned,
        validation=held_out,
        out=out,
        cache=cache or out.parent / ".graph-llm",
        config=config or GraphLlamaConfig(),
        options=course,
        base=base,
        device=device,
        dtype=dtype,
        init=init,
    )
    _run(run, as_json)


def _run(run: GraphTraining, as_json: bool) -> None:
    from hoptrail.cli.progress import show_progress
    from hoptrail.eval.graph_llm.training import run_graph_training

    console = notes()
    with show_progress() as bars:
        summary = run_graph_training(
            run,
            progress=bars,
            report=lambda row: console.print(validation_line(row), style="dim"),
            announce=lambda cost: console.print(forecast_line(cost), style="dim"),
        )
    emit(summary, show_summary, as_json=as_json)


def validation_line(row: Mapping[str, Any]) -> str:
    """Return the figures of a step that a validation followed."""
    return (
        f"step {row['step']}, epoch {row['epoch']}: loss {row.get('loss', float('nan')):.3f}, "
        f"Hits@1 {row['hits@1']:.3f}, Hit {row['hit']:.3f}, F1 {row['set_f1']:.3f}, "
        f"{row['seconds']:.0f} s"
    )


def forecast_line(cost: Forecast) -> str:
    """Return what a run will take, as its first step showed."""
    minutes = max(1, math.ceil(cost.seconds / 60))
    aligning = f"{cost.align_steps} steps of the pointer, then " if cost.align_steps else ""
    return (
        f"{aligning}{cost.steps} steps with the language model, at most {cost.step_seconds:.1f} s "
        f"each: up to {minutes} minutes and the validations, "
        f"{cost.memory_bytes / _GIBIBYTE:.2f} GiB of memory"
    )


def show_summary(summary: Mapping[str, Any], console: Console) -> None:
    """Print the figures of a finished run."""
    metrics = summary["metrics"]
    table = grid()
    table.add_row("steps", f"{summary['steps']} of {summary['planned_steps']}")
    table.add_row("best step", str(summary["best_step"]))
    table.add_row("Hits@1", f"{metrics['hits@1']:.3f}")
    table.add_row("Hit", f"{metrics['hit']:.3f}")
    table.add_row("F1", f"{metrics['set_f1']:.3f}")
    table.add_row("trained parameters", f"{summary['trained_parameters']:,}")
    if summary["left_out"]:
        table.add_row("left out", f"{summary['left_out']} questions whose graph holds no answer")
    if summary["skipped_steps"]:
        table.add_row("skipped steps", str(summary["skipped_steps"]))
    table.add_row("time", f"{summary['seconds']:.0f} s, {summary['seconds_per_step']:.2f} s a step")
    table.add_row("peak memory", f"{summary['peak_memory_bytes'] / _GIBIBYTE:.2f} GiB")
    table.add_row("checkpoint", summary["checkpoint"])
    console.print(table)


def tables_of(assignments: Iterable[str] | None) -> dict[str, dict[str, Any]]:
    """Return the values of `--set TABLE.NAME=VALUE` by table, each of the three among them.

    Of a question's choices, which `--set NAME=VALUE` names, those of its retriever count here.

    Raises:
        SettingsError: If an assignment cannot be read.
        UnknownNameError: If it is of another table, or no choice.
    """
    from hoptrail.graphs.context import resolve_context

    given = options.context_fields(assignments)
    tables = {name: given.pop(name, {}) for name in _TABLES}
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise SettingsError(f"--set {name} is a table", hint=f"use --set {name}.NAME=VALUE")
    context = resolve_context(given)
    for name in _OF_RETRIEVERS & given.keys():
        tables["parameters"].setdefault(name, getattr(context, name))
    return tables


def config_of(table: Mapping[str, Any], given: Mapping[str, Any]) -> GraphLlamaConfig | None:
    """Return the model's choices, None where nothing was chosen; options go before the table.

    Raises:
        SettingsError: If a choice is unknown or cannot be used.
    """
    from hoptrail.models.graph_llm.config import GraphLlamaConfig

    chosen = _merged(table, given)
    return _made(GraphLlamaConfig, "model", chosen) if chosen else None


def options_of(table: Mapping[str, Any], given: Mapping[str, Any]) -> TrainingOptions:
    """Return the training's choices; options go before the table.

    Raises:
        SettingsError: If a choice is unknown or cannot be used.
    """
    from hoptrail.models.graph_llm.training.options import TrainingOptions

    return _made(TrainingOptions, "training", _merged(table, given))


def _merged(table: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    return {**table, **{name: value for name, value in given.items() if value is not None}}


def _made(kind: Callable[..., _Choices], table: str, chosen: Mapping[str, Any]) -> _Choices:
    known = signature(kind).parameters
    for name in chosen:
        if name not in known:
            raise UnknownNameError(f"{table} option", name, known)
    return kind(**chosen)
