"""How `hoptrail doctor` looks in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoptrail.cli.output import printable
from hoptrail.cli.publish import line_of_store

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_NO_MODEL = """No language model is set: questions are answered by graph search.
Set HOPTRAIL_MODEL, GROQ_API_KEY or OPENAI_API_KEY to use one, or see hoptrail model list.
"""
_NO_KNOWLEDGE_BASE = "no knowledge base here yet: hoptrail index PATH... makes one"
_KEYS = {True: "present", False: "missing", None: "-"}


def show_health(report: dict[str, Any], console: Console) -> None:
    """Print the models, then embedder, knowledge bases, plugins and versions, a line each."""
    if any(row["name"] for row in report["roles"]):
        console.print(_model_table(report["roles"]))
    else:
        console.print(_NO_MODEL)
    if report["graph_llm"] is not None:
        _line(console, f"graph LLM {report['graph_llm']['name']}", report["graph_llm"])
    for line in local_model_lines(report["local_models"]):
        console.print(line)
    _line(console, f"embedder {report['embedder']['name']}", report["embedder"])
    for name, state in report["knowledge_bases"].items():
        where = "" if name == state["path"] else f" ({state['path']})"
        _line(console, f"knowledge base {name}{where}", state)
        for store in state.get("stores", ()):
            _line(console, f"knowledge base {name} on {store['store']}", store)
    if not report["knowledge_bases"]:
        console.print(_NO_KNOWLEDGE_BASE)
    for plugin in report["plugins"]:
        name, package = f"{plugin['kind']} {plugin['name']}", plugin["distribution"]
        _line(console, f"{name} ({package})", plugin)
    versions = report["versions"].items()
    text = ", ".join(f"{name} {version or 'not installed'}" for name, version in versions)
    console.print(text, style="dim")


def local_model_lines(local: dict[str, Any]) -> list[str]:
    """Return a line for each model file with what its check found, and for each server here."""
    lines = []
    for file in local["files"]:
        check = file["check"]
        told = f"not checked: hoptrail model check {file['name']}"
        if check is not None:
            told = (
                f"{check['right']:.0%} right, {check['honest']:.0%} honest, "
                f"form kept {check['json_kept']:.0%}, reads {check['read_per_second']:,.0f} and "
                f"writes {check['written_per_second']:,.1f} tokens a second"
            )
        lines.append(printable(f"model file gguf:{file['name']}: {told}"))
    for server in local["servers"]:
        models = ", ".join(server["models"]) or "no model"
        lines.append(
            printable(
                f"{server['kind']} at {server['address']}: {models} (hoptrail model use NAME)"
            )
        )
    return lines


def _model_table(rows: list[dict[str, Any]]) -> Table:
    """Return a table with one row per model; several roles may share it."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, header_style="dim", pad_edge=False)
    for heading in ("model", "roles", "key", "test call"):
        table.add_column(heading, overflow="fold")
    for name in dict.fromkeys(row["name"] for row in rows):
        served = [row for row in rows if row["name"] == name]
        parts = ", ".join(row["part"] for row in served) if len(served) < len(rows) else "all"
        model = printable(name or "none")
        table.add_row(model, parts, _KEYS[served[0]["key"]], _outcome(served[0]))
    return table


def _line(console: Console, subject: str, state: dict[str, Any]) -> None:
    from rich.text import Text

    console.print(Text.assemble(printable(subject), ": ", _outcome(state)))


def _outcome(state: dict[str, Any]) -> Text:
    from rich.text import Text

    if state["ok"]:
        seconds = state.get("seconds")
        text = "works" if seconds is None else f"works, {seconds:.2f} s"
        if state.get("generation") is not None:
            text = line_of_store(state)
        return Text(text, "green")
    if state.get("name", "") is None:
        return Text("-", "dim")
    return Text(printable(state["error"] or "does not work"), "red")
