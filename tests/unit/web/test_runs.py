import asyncio
from collections.abc import AsyncGenerator, Callable

import pytest

from hoptrail.core.errors import InputError, OverloadedError, ThreadBusyError
from hoptrail.core.types import Event, TokenEvent
from hoptrail.web.errors import ApiError
from hoptrail.web.runs import Run, Runs, Stopped

Stream = Callable[[], AsyncGenerator[Event, None]]


def tokens(*texts: str) -> Stream:
    async def stream() -> AsyncGenerator[Event, None]:
        for text in texts:
            yield TokenEvent(text)

    return stream


def endless(begun: list[str], ended: list[str]) -> Stream:
    async def stream() -> AsyncGenerator[Event, None]:
        begun.append("one")
        try:
            while True:
                yield TokenEvent("and ")
                await asyncio.sleep(0)
        finally:
            ended.append("one")

    return stream


async def read(run: Run) -> list[str]:
    async with run:
        return [event.text async for event in run.events(1) if isinstance(event, TokenEvent)]


async def test_a_run_hands_on_all_its_events() -> None:
    runs = Runs(1, 1)
    texts = [str(number) for number in range(200)]

    assert await read(runs.begin("anna", tokens(*texts))) == texts
    assert runs.unfinished == runs.answering == 0


async def test_a_run_whose_reader_goes_away_ends() -> None:
    runs, begun, ended = Runs(1, 1), [], []  # type: ignore[var-annotated]
    run = runs.begin("anna", endless(begun, ended))

    async with run:
        async for _ in run.events(1):
            break

    assert (begun, ended) == (["one"], ["one"])
    assert runs.unfinished == 0


@pytest.mark.looptime
async def test_a_stopped_run_tells_its_reader_however_far_that_is_behind() -> None:
    runs, begun, ended = Runs(1, 1), [], []  # type: ignore[var-annotated]
    run = runs.begin("anna", endless(begun, ended))
    await asyncio.sleep(0.05)  # its queue is full by now

    run.stop()

    with pytest.raises(Stopped):
        await read(run)


async def test_a_run_is_found_by_its_owner_alone() -> None:
    runs = Runs(1, 1)
    run = runs.begin("anna", tokens("a"))

    assert runs.find(run.id, "anna") is run
    assert runs.find(run.id, "ben") is None
    await read(run)
    assert runs.find(run.id, "anna") is None


@pytest.mark.looptime
async def test_so_many_are_answered_at_once_and_the_others_wait() -> None:
    runs, begun, ended = Runs(2, 1), [], []  # type: ignore[var-annotated]
    kept = [runs.begin("anna", endless(begun, ended)) for _ in range(3)]
    await asyncio.sleep(0.05)

    assert (runs.answering, runs.unfinished, len(begun)) == (2, 3, 2)
    with pytest.raises(OverloadedError):
        runs.begin("anna", tokens("a"))

    runs.stop_all()
    for run in kept:
        with pytest.raises(Stopped):
            await read(run)
    with pytest.raises(ApiError, match="stopping"):
        runs.begin("anna", tokens("a"))


async def test_a_thread_answers_one_question_at_a_time() -> None:
    runs = Runs(4, 4)
    run = runs.begin("anna", tokens("a"), "talk")

    with pytest.raises(ThreadBusyError):
        runs.begin("anna", tokens("b"), "talk")
    other = runs.begin("anna", tokens("c"), "other")
    await read(run)

    assert await read(runs.begin("anna", tokens("d"), "talk")) == ["d"]
    await read(other)


async def test_the_error_of_a_question_reaches_its_reader() -> None:
    async def stream() -> AsyncGenerator[Event, None]:
        raise InputError("no such field")
        yield TokenEvent("never")

    with pytest.raises(InputError, match="no such field"):
        await read(Runs(1, 1).begin("anna", stream))


@pytest.mark.looptime
async def test_a_pause_is_told() -> None:
    async def stream() -> AsyncGenerator[Event, None]:
        await asyncio.sleep(0.1)
        yield TokenEvent("late")

    async with Runs(1, 1).begin("anna", stream) as run:
        events = [event async for event in run.events(0.02)]

    assert events[0] is None
    assert events[-1] == TokenEvent("late")
