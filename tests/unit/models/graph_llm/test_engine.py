from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pytest

from hoptrail.core.embedding import FloatArray
from hoptrail.core.errors import (
    GraphInputError,
    InputError,
    ModelReplyError,
    ModelUnavailableError,
    OverloadedError,
)
from hoptrail.models.graph_llm.base_model import BaseModel
from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.engine import GraphEngine, ReplyText
from hoptrail.models.graph_llm.generation import GenerationRequest, ReplyPart, SamplingOptions
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.model import GraphLlama
from hoptrail.models.loop_resources import background_loop
from hoptrail.testing.embedder import HashingEmbedder
from hoptrail.testing.tiny_llama import tiny_base_model

GRAPH = GraphInput.from_triples([("Ane Lund", "born in", "Varde"), ("Varde", "lies in", "Jutland")])
ENDLESS = SamplingOptions(max_new_tokens=600)


@pytest.fixture(scope="module")
def model() -> GraphLlama:
    config = GraphLlamaConfig(hidden=16, layers=2, heads=2, projector_hidden=32, graph_tokens=10)
    return GraphLlama(tiny_base_model(), config, HashingEmbedder(16)).eval()


@pytest.fixture
def engine(model: GraphLlama) -> Iterator[GraphEngine]:
    engine = GraphEngine(model, most_running=8)
    yield engine
    engine.close()


def ask(
    question: str, graph: GraphInput | None = GRAPH, tokens: int = 12, *stop: str
) -> GenerationRequest:
    messages = ({"role": "user", "content": question},)
    return GenerationRequest(messages, graph, SamplingOptions(tokens), stop)


def stream(
    engine: GraphEngine, request: GenerationRequest, *, timeout: float | None = None
) -> Generator[ReplyPart]:
    """Yield a reply in a thread without an event loop."""
    yield from background_loop().iterate(engine.astream(request, timeout=timeout))


def reply(parts: list[ReplyPart]) -> str:
    return "".join(part.text for part in parts)


def test_the_reply_is_what_the_model_generates(engine: GraphEngine, model: GraphLlama) -> None:
    question = "Where was Ane Lund born?"
    parts = list(stream(engine, ask(question)))
    prompt = model.prepare(question, GRAPH, reply_tokens=12)
    assert reply(parts).strip() == model.generate([prompt], max_new_tokens=12)[0]
    assert parts[-1] == replace(
        parts[-1],
        finish_reason="length",
        prompt_tokens=len(prompt.prompt.ids) + 10,
        completion_tokens=12,
    )


def test_without_a_graph_the_messages_go_to_the_base_model(
    engine: GraphEngine, model: GraphLlama
) -> None:
    text = model.base.tokenizer.apply_chat_template(
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
        tokenize=False,
        add_generation_prompt=True,
    )
    ids = model.base.tokenizer(text, return_tensors="pt", add_special_tokens=False)
    written = model.llm.generate(**ids, max_new_tokens=9, do_sample=False)[0]  # type: ignore[operator]
    expected = model.base.tokenizer.decode(
        written[ids.input_ids.shape[1] :], skip_special_tokens=True
    )
    messages = ({"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"})
    parts = list(stream(engine, GenerationRequest(messages, None, SamplingOptions(9))))
    assert (reply(parts), parts[-1].prompt_tokens) == (expected, ids.input_ids.shape[1])


def test_replies_side_by_side_equal_replies_one_by_one(engine: GraphEngine) -> None:
    requests = [ask(f"Question {number}?", tokens=5 + number) for number in range(12)]
    expected = [reply(list(stream(engine, request))) for request in requests]
    results: dict[int, str] = {}

    def run(number: int) -> None:
        results[number] = reply(list(stream(engine, requests[number])))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [results[number] for number in range(12)] == expected


async def test_an_event_loop_gets_the_same_parts(engine: GraphEngine) -> None:
    expected = list(stream(engine, ask("Where?")))
    assert [part async for part in engine.astream(ask("Where?"))] == expected


def test_a_stop_text_ends_the_reply(engine: GraphEngine) -> None:
    whole = reply(list(stream(engine, ask("Where?", tokens=40))))
    stop = whole[3:5]
    parts = list(stream(engine, ask("Where?", GRAPH, 40, stop)))
    assert (reply(parts), parts[-1].finish_reason) == (whole[: whole.index(stop)], "stop")


def test_closing_the_iterator_frees_the_slot(engine: GraphEngine) -> None:
    parts = stream(engine, replace(ask("Where?"), options=ENDLESS))
    next(parts)
    parts.close()
    list(stream(engine, ask("Who?")))
    assert (engine.unfinished, engine.running) == (0, 0)


async def test_a_cancelled_reader_frees_the_slot(engine: GraphEngine) -> None:
    async def read() -> None:
        async for _ in engine.astream(replace(ask("Where?"), options=ENDLESS)):
            started.set()

    started = asyncio.Event()
    task = asyncio.create_task(read())
    await started.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    [part async for part in engine.astream(ask("Who?"))]
    assert engine.unfinished == 0


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (ask("Where?" * 300), InputError),
        (ask("Where?" * 300, None), InputError),
        (ask("Where?", GraphInput(("a",), (), np.ones((1, 5), np.float32))), GraphInputError),
        (GenerationRequest(({"role": "system", "content": "?"},), GRAPH), InputError),
    ],
)
def test_a_bad_request_fails_alone(
    engine: GraphEngine, request_: GenerationRequest, error: type[Exception]
) -> None:
    good = [stream(engine, ask(f"Question {number}?")) for number in range(3)]
    first = [next(parts) for parts in good]
    with pytest.raises(error):
        list(stream(engine, request_))
    rest = [[part, *parts] for part, parts in zip(first, good, strict=True)]
    assert rest == [list(stream(engine, ask(f"Question {number}?"))) for number in range(3)]


def test_bad_and_good_requests_of_one_batch_are_told_apart(model: GraphLlama) -> None:
    engine = GraphEngine(model)
    results: dict[int, object] = {}

    def run(number: int) -> None:
        question = "?" * 2000 if number % 3 == 0 else "Where?"
        try:
            results[number] = reply(list(stream(engine, ask(question))))
        except InputError:
            results[number] = "refused"

    threads = [threading.Thread(target=run, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = reply(list(stream(engine, ask("Where?"))))
    engine.close()
    assert [results[n] for n in range(12)] == [expected if n % 3 else "refused" for n in range(12)]


def test_a_full_queue_refuses(model: GraphLlama) -> None:
    engine = GraphEngine(model, most_running=1, queue_limit=1)
    running = stream(engine, replace(ask("Where?"), options=ENDLESS))
    next(running)
    waiting = threading.Thread(target=list, args=(stream(engine, ask("When?")),))
    waiting.start()
    while engine.unfinished < 2:
        threading.Event().wait(0.001)
    with pytest.raises(OverloadedError):
        next(stream(engine, ask("Who?")))
    running.close()
    waiting.join()
    engine.close()


def test_a_late_part_is_a_timeout_and_frees_the_slot(engine: GraphEngine) -> None:
    with pytest.raises(TimeoutError, match="no token in"):
        list(stream(engine, replace(ask("Where?"), options=ENDLESS), timeout=1e-9))
    list(stream(engine, ask("Who?"), timeout=60))
    assert engine.unfinished == 0


def test_a_closed_engine_ends_what_runs_and_refuses_what_comes(model: GraphLlama) -> None:
    engine = GraphEngine(model)
    parts = stream(engine, replace(ask("Where?"), options=ENDLESS))
    next(parts)
    engine.close()
    with pytest.raises(ModelUnavailableError):
        list(parts)
    with pytest.raises(ModelUnavailableError):
        next(stream(engine, ask("Who?")))


class HeldEmbedder(HashingEmbedder):
    """Embeds once it is allowed to."""

    def __init__(self) -> None:
        super().__init__(16)
        self.allowed, self.calls = threading.Event(), 0

    def embed(self, texts: Sequence[str]) -> FloatArray:
        self.allowed.wait()
        self.calls += 1
        return super().embed(texts)


def test_a_closed_engine_makes_no_prompt_that_nobody_waits_for(model: GraphLlama) -> None:
    embedder = HeldEmbedder()
    engine = GraphEngine(GraphLlama(model.base, model.config, embedder).eval())
    failed: list[BaseException] = []

    def read() -> None:
        try:
            list(stream(engine, ask("Where?")))
        except ModelUnavailableError as error:
            failed.append(error)

    readers = [threading.Thread(target=read) for _ in range(40)]
    for reader in readers:
        reader.start()
    while engine.unfinished < 40:
        time.sleep(0.001)
    engine.abandon()
    for reader in readers:
        reader.join()
    embedder.allowed.set()
    engine.close()
    assert len(failed) == 40
    assert embedder.calls <= 1


def test_a_patient_end_waits_for_what_runs(model: GraphLlama) -> None:
    engine = GraphEngine(model)
    parts = stream(engine, ask("Where?", tokens=60))
    first = next(parts)
    engine.close(patience=60)
    assert [first, *parts][-1].completion_tokens == 60


def test_a_step_that_breaks_down_ends_the_running_replies_only(
    engine: GraphEngine, model: GraphLlama
) -> None:
    parts = stream(engine, replace(ask("Where?"), options=ENDLESS))
    next(parts)
    hook = model.llm.lm_head.register_forward_hook(_break_down)
    with pytest.raises(ModelReplyError, match="out of memory"):
        list(parts)
    hook.remove()
    assert list(stream(engine, ask("Who?")))[-1].finish_reason == "length"


def _break_down(*_: object) -> None:
    raise RuntimeError("out of memory")


@pytest.fixture(scope="module")
def base() -> BaseModel:
    return tiny_base_model()


def pieces(base: BaseModel, text: str, *stop: str) -> tuple[list[str], bool]:
    """Return what is shown at each token of a text, and at its end."""
    reply = ReplyText(base.tokenizer, stop)
    shown = []
    for token in base.token_ids(text):
        shown.append(reply.add(token))
        if reply.stopped:
            return shown, True
    return [*shown, reply.end()], reply.stopped


@pytest.mark.parametrize(
    ("text", "stop", "shown"),
    [
        pytest.param("Oslo", (), "O|s|l|o|", id="each letter with its token"),
        pytest.param("é😀", (), "|é||||😀|", id="a character with its last byte"),
        pytest.param("ab abc", ("abd",), "||ab |||abc|", id="the beginning of a stop text late"),
        pytest.param("Oslo;", ("; ",), "O|s|l|o||;", id="the same at the end"),
    ],
)
def test_text_is_shown_once_it_is_sure(
    base: BaseModel, text: str, stop: tuple[str, ...], shown: str
) -> None:
    assert pieces(base, text, *stop) == (shown.split("|"), False)


def test_the_bytes_of_half_a_character_are_shown_at_the_end(base: BaseModel) -> None:
    reply = ReplyText(base.tokenizer)
    assert (reply.add(base.token_ids("é")[0]), reply.end()) == ("", "\ufffd")


def test_broken_text_is_not_held_back_for_ever(base: BaseModel) -> None:
    reply = ReplyText(base.tokenizer)
    half = base.token_ids("é")[0]
    assert "".join(reply.add(half) for _ in range(20)).count("\ufffd") >= 10


@pytest.mark.parametrize("stop", ["; ", "; Rome", "s", "lo; "])
def test_a_stop_text_ends_the_reply_and_is_not_shown(base: BaseModel, stop: str) -> None:
    shown, stopped = pieces(base, "Oslo; Rome", stop)
    assert ("".join(shown), stopped) == ("Oslo; Rome".partition(stop)[0], True)


def test_the_earliest_of_several_stop_texts_counts(base: BaseModel) -> None:
    assert "".join(pieces(base, "one two three", "three", "two")[0]) == "one "


def test_marks_of_the_chat_form_are_no_text(base: BaseModel) -> None:
    reply = ReplyText(base.tokenizer)
    assert reply.add(base.tokenizer.get_vocab()["<|im_end|>"]) == ""
