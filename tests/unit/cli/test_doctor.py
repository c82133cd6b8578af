import io
from typing import Any

from rich.console import Console

from hoptrail.cli.doctor import show_health

DOCS = {"docs": {"path": "kb", "ok": False, "error": "no such folder"}}
EMBEDDER = {"part": "embedder", "name": "mini", "ok": True, "seconds": 0.1, "error": None}


def role(part: str, name: str | None, error: str | None = None) -> dict[str, Any]:
    ok = name is not None and error is None
    return {"part": part, "name": name, "key": True, "seconds": 0.4, "error": error, "ok": ok}


def shown(
    *roles: dict[str, Any],
    graph_llm: dict[str, Any] | None = None,
    knowledge_bases: dict[str, Any] | None = None,
    local: dict[str, Any] | None = None,
    tracing: dict[str, Any] | None = None,
    reranker: dict[str, Any] | None = None,
) -> str:
    stream = io.StringIO()
    report: dict[str, Any] = {
        "roles": list(roles),
        "graph_llm": graph_llm,
        "embedder": EMBEDDER,
        "reranker": reranker,
        "knowledge_bases": DOCS if knowledge_bases is None else knowledge_bases,
        "local_models": local or {"files": [], "servers": []},
        "plugins": [
            {
                "kind": "retriever",
                "name": "titles",
                "distribution": "shelf 1.0",
                "ok": False,
                "error": "no module",
            }
        ],
        "tracing": tracing,
        "versions": {"hoptrail": "1.0", "langgraph-api": None},
    }
    show_health(report, Console(file=stream, width=200))
    return stream.getvalue()


def test_a_machine_without_a_knowledge_base_is_told_how_to_make_one() -> None:
    assert "knowledge base docs (kb): no such folder" in shown(role("judge", None))
    assert "no knowledge base here yet" in shown(role("judge", None), knowledge_bases={})


def test_model_files_and_servers_of_this_machine_are_listed() -> None:
    check = {
        "right": 0.9,
        "honest": 0.5,
        "json_kept": 1.0,
        "read_per_second": 60.2,
        "written_per_second": 4.5,
    }
    local = {
        "files": [{"name": "qwen", "check": check}, {"name": "other", "check": None}],
        "servers": [{"kind": "Ollama", "address": "http://127.0.0.1:11434", "models": ["tiny"]}],
    }
    text = shown(role("judge", None), local=local)
    assert "gguf:qwen: 90% right, 50% honest, form kept 100%, reads 60 and writes 4.5" in text
    assert "gguf:other: not checked: hoptrail model check other" in text
    assert "Ollama at http://127.0.0.1:11434: tiny (hoptrail model use NAME)" in text


def test_a_model_of_several_roles_is_listed_once() -> None:
    text = shown(role("router", "groq:a"), role("judge", "groq:b", "no key"), role("x", "groq:a"))
    assert text.count("groq:a") == 1
    assert "router, x" in text
    assert "works, 0.40 s" in text
    assert "no key" in text


def test_without_any_model_it_says_what_happens_instead() -> None:
    text = shown(role("router", None, "no model is set"))
    assert "answered by graph search" in text
    assert "no model is set" not in text


def test_a_graph_llm_that_is_down_says_so() -> None:
    text = shown(role("router", None), graph_llm=role("graph_llm", "http://x/v1", "no server"))
    assert "graph LLM http://x/v1: no server" in text.splitlines()


def test_embedder_stores_and_versions_have_a_line_each() -> None:
    lines = shown(role("router", None)).splitlines()
    assert "embedder mini: works, 0.10 s" in lines
    assert "knowledge base docs (kb): no such folder" in lines
    assert "hoptrail 1.0, langgraph-api not installed" in lines


def test_collector_has_a_line_where_traces_are_sent() -> None:
    row = {"name": "http://127.0.0.1:4318/v1/traces", "ok": False, "error": "Connection refused"}
    text = shown(role("judge", None), tracing=row)
    assert "traces to http://127.0.0.1:4318/v1/traces: Connection refused" in text
    assert "traces" not in shown(role("judge", None))


def test_the_reranker_has_a_line_where_one_is_set() -> None:
    assert "reranker" not in shown(role("judge", None))
    down = {**EMBEDDER, "name": "endpoint:bge", "ok": False, "error": "no server answers"}
    assert "reranker endpoint:bge: no server answers" in shown(role("judge", None), reranker=down)
