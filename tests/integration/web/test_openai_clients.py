"""The OpenAI protocol with the official client and LangChain's."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import openai
import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_openai import ChatOpenAI
from openai.types.chat import ChatCompletionMessageParam, ChatCompletionUserMessageParam
from pydantic import SecretStr

from tests.ships import FACTS, QUESTION
from tests.web_server import WebServer, web_server

pytestmark = pytest.mark.slow

MODEL = "ships/offline"


@pytest.fixture(scope="module")
def server(ships: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    keys = {"reader": {"presets": ["offline", "reasoning"]}}
    folder = tmp_path_factory.mktemp("web")
    with web_server(folder, {"ships": ships}, keys=keys, root_path="/facts") as running:
        yield running


@pytest.fixture
def client(server: WebServer) -> Iterator[openai.OpenAI]:
    address = f"{server.url}/v1"
    with openai.OpenAI(base_url=address, api_key=server.keys["reader"], max_retries=0) as opened:
        yield opened


def user(text: str) -> ChatCompletionUserMessageParam:
    return {"role": "user", "content": text}


def test_titles_and_the_like_are_refused_but_questions_about_files_are_not(
    client: openai.OpenAI,
) -> None:
    # As Open WebUI 0.12 writes them.
    title = "### Task:\nGenerate a concise title.\n### Chat History:\n<chat_history>\nUSER: Hi\n"
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(model=MODEL, messages=[user(title)])
    assert refused.value.code == "no_question"

    about_file = f"### Task:\nUse the context.\n<context>x</context>\n{QUESTION}"
    done = client.chat.completions.create(model=MODEL, messages=[user(about_file)])
    assert done.choices[0].message.content


def test_there_is_a_model_for_each_base_and_for_it_with_each_preset(client: openai.OpenAI) -> None:
    assert {model.id for model in client.models.list()} == {
        "ships",
        "ships/offline",
        "ships/reasoning",
    }
    assert client.models.retrieve(MODEL).id == MODEL


def test_an_answer_has_marks_sources_annotations_and_the_trail(client: openai.OpenAI) -> None:
    done = client.chat.completions.create(model=MODEL, messages=[user(QUESTION)])

    message = done.choices[0].message
    content = message.content or ""
    assert content.startswith("Edda Thorn [1] [2]")
    assert FACTS["Morning Tern"] in content
    assert message.annotations is not None
    for number, annotation in enumerate(message.annotations, start=1):
        cited = annotation.url_citation
        assert content[cited.start_index : cited.end_index] == f"[{number}]"
        assert cited.url in content
    extra = done.model_extra or {}
    assert len(extra["citations"]) == 2
    assert [hop["doc_id"] for hop in extra["hoptrail"]["trail"]] == [
        "t/Morning Tern",
        "t/Alder Yard",
    ]


def test_links_open_the_page_at_the_quote_behind_a_proxy_too(
    client: openai.OpenAI, server: WebServer
) -> None:
    done = client.chat.completions.create(model=MODEL, messages=[user(QUESTION)])

    link = urlsplit((done.model_extra or {})["citations"][0])
    assert f"{link.scheme}://{link.netloc}{link.path}" == f"{server.url}/facts/"
    route, _, query = link.fragment.partition("?")
    assert route == "/document"
    assert parse_qs(query)["id"] == ["t/Morning Tern"]


def test_sources_can_be_left_out_of_the_text(client: openai.OpenAI) -> None:
    done = client.chat.completions.create(
        model=MODEL,
        messages=[user(QUESTION)],
        extra_body={"hoptrail": {"sources": False}},
    )

    assert done.choices[0].message.content == "Edda Thorn"
    assert len((done.model_extra or {})["citations"]) == 2


def test_a_streamed_answer_is_the_same_text(client: openai.OpenAI) -> None:
    whole = client.chat.completions.create(model=MODEL, messages=[user(QUESTION)])
    chunks = list(
        client.chat.completions.create(
            model=MODEL,
            messages=[user(QUESTION)],
            stream=True,
            stream_options={"include_usage": True},
        )
    )

    text = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
    assert text == whole.choices[0].message.content
    assert chunks[-1].usage is not None
    last = next(one for one in chunks if one.choices and one.choices[0].finish_reason)
    assert last.choices[0].finish_reason == "stop"
    assert (last.model_extra or {})["citations"] == (whole.model_extra or {})["citations"]


def test_a_follow_up_leans_on_the_history_that_the_client_sends(client: openai.OpenAI) -> None:
    first = client.chat.completions.create(model=MODEL, messages=[user(QUESTION)])
    history: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": "You are helpful."},
        user(QUESTION),
        {"role": "assistant", "content": first.choices[0].message.content},
        {"role": "user", "content": [{"type": "text", "text": "Where was she born?"}]},
    ]

    second = client.chat.completions.create(model=MODEL, messages=history)

    assert (second.choices[0].message.content or "").startswith("Brackenholm")


def test_a_reference_may_mean_a_thing_of_the_trail_that_no_text_of_the_client_names(
    client: openai.OpenAI,
) -> None:
    first = client.chat.completions.create(model=MODEL, messages=[user(QUESTION)])
    history: list[ChatCompletionMessageParam] = [
        user(QUESTION),
        {"role": "assistant", "content": first.choices[0].message.content},
        user("In which town did that yard stand?"),
    ]

    second = client.chat.completions.create(model=MODEL, messages=history)

    asked = (second.model_extra or {})["hoptrail"]["standalone_question"]
    assert asked == "In which town did Alder Yard stand?"


def test_langchain_chats_and_streams(server: WebServer) -> None:
    model = ChatOpenAI(
        model=MODEL, base_url=f"{server.url}/v1", api_key=SecretStr(server.keys["reader"])
    )
    history = [HumanMessage(QUESTION), AIMessage("Edda Thorn [1]")]

    answer = model.invoke([*history, HumanMessage("Where was she born?")])
    streamed = "".join(str(chunk.text) for chunk in model.stream(QUESTION))

    assert str(answer.text).startswith("Brackenholm")
    assert streamed.startswith("Edda Thorn [1] [2]")


def test_errors_are_those_that_the_client_knows(server: WebServer, client: openai.OpenAI) -> None:
    def ask(model: str = MODEL, **more: Any) -> None:
        given: dict[str, Any] = {"messages": [user(QUESTION)], **more}
        client.chat.completions.create(model=model, **given)

    for name in ("nope/offline", "ships/nope", "ships/dagr", ""):
        with pytest.raises(openai.NotFoundError) as missing:
            ask(name)
        assert missing.value.code == "model_not_found"
    for more in ({"n": 2}, {"messages": [{"role": "assistant", "content": "hello"}]}):
        with pytest.raises(openai.BadRequestError):
            ask(**more)
    picture = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}
    with pytest.raises(openai.BadRequestError, match="image_url"):
        ask(messages=[picture])
    for content in ("", "  "):
        with pytest.raises(openai.BadRequestError, match="the content of the last one is empty"):
            ask(messages=[user(content)])
    with pytest.raises(openai.UnprocessableEntityError):
        ask(messages=[])
    with (
        openai.OpenAI(base_url=f"{server.url}/v1", api_key="wrong", max_retries=0) as stranger,
        pytest.raises(openai.AuthenticationError),
    ):
        stranger.models.list()


def test_an_abstention_lists_the_nearest_passages_without_marks(client: openai.OpenAI) -> None:
    question = "Who painted the ceiling of the Alder Yard?"
    done = client.chat.completions.create(model=MODEL, messages=[user(question)])

    message = done.choices[0].message
    assert (message.content or "").startswith("I don't know")
    assert "Nearest passages" in (message.content or "")
    assert message.annotations == []


async def test_the_pipe_for_open_webui_gives_the_answer_and_its_sources(server: WebServer) -> None:
    place = Path(__file__).parents[3] / "examples" / "open_webui_pipe.py"
    spec = spec_from_file_location("open_webui_pipe", place)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    pipe = module.Pipe()
    pipe.valves = pipe.Valves(url=server.url, key=server.keys["reader"])
    events: list[dict[str, Any]] = []

    async def emit(event: dict[str, Any]) -> None:
        events.append(event)

    assert {"id": MODEL, "name": f"Hoptrail {MODEL}"} in await pipe.pipes()
    body = {"model": f"hoptrail.{MODEL}", "messages": [user(QUESTION)]}
    text = "".join([piece async for piece in pipe.pipe(body, emit)])

    assert text == "Edda Thorn"
    sources = [event["data"] for event in events if event["type"] == "source"]
    assert [one["source"]["name"] for one in sources] == ["t/Morning Tern", "t/Alder Yard"]
    assert sources[0]["document"] == [FACTS["Morning Tern"]]
    assert events[-1]["data"] == {"description": "done", "done": True, "hidden": True}
