"""`hoptrail dataset`: a public question set, made ready for `index` and `eval`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hoptrail.cli import options


def dataset(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="hotpotqa, musique, 2wiki, metaqa, webqsp, cwq or multihop_rag.",
        ),
    ],
    source: Annotated[
        str,
        typer.Option(
            "--from",
            metavar="SOURCE",
            help="Folder or file as its authors publish it, or hub for the Hugging Face hub.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write to.")],
    split: Annotated[
        str, typer.Option("--split", metavar="SPLIT", help="train, dev or test.")
    ] = "dev",
    sample: Annotated[
        int, typer.Option("--sample", metavar="N", min=0, help="Questions to draw; 0 for all.")
    ] = 500,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Draw questions of a public set, with one corpus for all of them."""
    from hoptrail.cli.choices import context_fields

    context = context_fields(assignments, seed=seed)

    from hoptrail.cli.output import emit_json, emit_text
    from hoptrail.eval.datasets.prepare import prepare_dataset
    from hoptrail.graphs.context import resolve_context

    chosen = resolve_context(context)
    prepared = prepare_dataset(name, source, out, split=split, sample=sample, seed=chosen.seed)
    if as_json:
        emit_json({**prepared.to_json(), "out": str(out)})
        return
    for file, lines in prepared.files.items():
        emit_text(f"{lines:>9,} lines  {out / file}")
    if prepared.left_out:
        emit_text(f"{prepared.left_out:,} questions without an answer to score were left out")
