"""The record of a run: its versions and choices, and the command that repeats it."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.core.settings import Settings
from hoptrail.eval.oracle.reader import OracleChatModel
from hoptrail.eval.questions.question import Question
from hoptrail.eval.runs.run_record import (
    chat_models,
    choose_judge,
    command_line,
    describe_circumstances,
    describe_file,
    describe_models,
    register_oracle,
    with_reader,
)
from hoptrail.graphs.context import Context
from hoptrail.models.chat import register_chat_model, registered_chat_model
from hoptrail.testing import ScriptedChatModel


def test_data_and_home_are_named_as_any_shell_finds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPTRAIL_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    options = {
        "--questions": tmp_path / "data" / "a set" / "dev.jsonl",
        "--kb": tmp_path / "home" / "kb",
        "--out": Path("runs/one"),
    }
    assert command_line(options, {}) == (
        "hoptrail eval --questions $HOPTRAIL_DATA/'a set/dev.jsonl' --kb ~/kb --out runs/one"
    )


def test_options_that_were_not_given_are_left_out_and_settings_assigned() -> None:
    options = {"--preset": "reasoning", "--limit": None, "--allow-missing-gold": False}
    line = command_line(options, {"k": 5, "models": {"judge": "groq:x y"}, "retriever": "bm25"})
    assert shlex.split(line) == [
        *("hoptrail", "eval", "--preset", "reasoning", "--set", "k=5"),
        *("--set", 'models={"judge": "groq:x y"}', "--set", "retriever=bm25"),
    ]


def test_a_file_is_its_name_and_its_content(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_bytes(b"abc")
    assert describe_file("questions", tmp_path / "q.jsonl") == {
        "questions": "q.jsonl",
        "questions_sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    }


def test_models_and_prompts_are_named_where_some_are_used() -> None:
    chosen = Context(preset="vector", model="groq:small", models={"answerer": "groq:large"})
    described = describe_models(chosen, Settings())
    assert described["roles"]["router"] == "groq:small"
    assert described["roles"]["answerer"] == "groq:large"
    assert {"answer_plain", "route"} <= described["prompts"].keys()


def test_a_graph_llm_is_the_weights_that_answered(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"abc")
    chosen = Context(preset="multistage")
    described = describe_models(chosen, Settings(graph_llm=str(tmp_path)))
    assert described["roles"]["answerer"] == "graph_llm"
    assert described["graph_llm"] == tmp_path.name
    assert described["graph_llm_sha256"].startswith("ba7816bf")
    served = describe_models(chosen, Settings(graph_llm="http://127.0.0.1:8/v1"))
    assert served["graph_llm"] == "http://127.0.0.1:8/v1"


def test_a_preset_without_model_has_neither() -> None:
    assert describe_models(Context(preset="offline"), Settings(model="groq:small")) == {
        "roles": {},
        "prompts": {},
    }


def test_the_revision_is_unknown_without_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    circumstances = describe_circumstances("hoptrail eval", 5, 2)
    assert circumstances["git"] is None
    assert circumstances["date"].endswith("+00:00")
    assert circumstances["environment"]["concurrency"] == 2


REASONING = Context(preset="reasoning")
SETTINGS = Settings()


@pytest.mark.parametrize("reader", ["oracle", "oracle:noise=0.1", "graph_llm", "groq:small"])
def test_the_reader_is_the_model_of_all_roles(reader: str) -> None:
    chosen = with_reader(REASONING, reader, SETTINGS)
    assert chosen == Context(preset="reasoning", model=reader)


@pytest.mark.parametrize(
    ("reader", "context", "message"),
    [
        ("orakel", REASONING, "unknown reader 'orakel'"),
        ("oracle:noise=2", REASONING, "noise"),
        ("oracle", Context(preset="reasoning", model="groq:small"), "both a reader and a model"),
        ("oracle", Context(preset="offline"), "asks no reader"),
    ],
)
def test_a_reader_that_cannot_read_is_an_error(reader: str, context: Context, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        with_reader(context, reader, SETTINGS)


def test_a_bare_name_means_a_model_of_ones_own_server() -> None:
    own = Settings(base_url="http://127.0.0.1:9/v1")
    assert with_reader(REASONING, "small", own).model == "small"


def test_the_oracle_is_known_under_its_readers_name() -> None:
    register_oracle("oracle:noise=0.5", [Question("q", "Where?", (("Rome",),), line=1)], seed=7)
    oracle = registered_chat_model("oracle:noise=0.5")
    assert isinstance(oracle, OracleChatModel)
    assert (oracle.noise.share, oracle.noise.seed) == (0.5, 7)


def test_a_providers_model_judges_by_default() -> None:
    found = choose_judge(None, Context(model="groq:small"), SETTINGS)
    assert found is not None and found[0] == "groq:small"
    found = choose_judge(
        None, Context(model="groq:small", models={"judge_eval": "groq:large"}), SETTINGS
    )
    assert found is not None and found[0] == "groq:large"


def test_the_oracle_does_not_judge_itself() -> None:
    assert choose_judge(None, Context(model="oracle:noise=0.3"), SETTINGS) is None


def test_the_graph_llm_does_not_judge_itself() -> None:
    settings = Settings(graph_llm="checkpoints/webqsp")
    assert choose_judge(None, Context(model="graph_llm"), settings) is None


def test_the_graph_llm_answers_for_the_preset_that_is_made_for_it() -> None:
    settings = Settings(model="groq:small", graph_llm="checkpoints/webqsp")
    models = chat_models(Context(preset="multistage"), settings)
    assert (models.name_of("answerer"), models.name_of("router")) == ("graph_llm", "groq:small")
    assert chat_models(Context(preset="auto"), settings).name_of("answerer") == "groq:small"


def test_nobody_judges_without_a_model_or_where_none_is_wanted() -> None:
    assert choose_judge(None, Context(), SETTINGS) is None
    assert choose_judge("none", Context(model="groq:small"), SETTINGS) is None


def test_a_model_of_this_process_judges_only_where_it_is_named() -> None:
    register_chat_model("scripted", ScriptedChatModel())
    assert choose_judge(None, Context(model="scripted"), SETTINGS) is None
    by_role = Context(models={"judge_eval": "scripted"})
    for named, context in (("scripted", Context()), (None, by_role)):
        found = choose_judge(named, context, SETTINGS)
        assert found is not None and found[0] == "scripted"
