"""Which model reads and which one judges."""

from __future__ import annotations

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.core.settings import Settings
from hoptrail.eval.oracle.reader import OracleChatModel
from hoptrail.eval.questions.question import Question
from hoptrail.eval.runs.models_of_run import chat_models, choose_judge, register_oracle, with_reader
from hoptrail.graphs.context import Context
from hoptrail.models.chat import register_chat_model, registered_chat_model
from hoptrail.testing import ScriptedChatModel

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
