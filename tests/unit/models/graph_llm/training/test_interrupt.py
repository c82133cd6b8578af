import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from hoptrail.models.graph_llm.training.interrupt import delayed_interrupt


@pytest.fixture(autouse=True)
def usual_handler() -> Iterator[None]:
    """Let an interrupt raise, also where the tests run in the background and it is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_first_interrupt_is_noted_and_a_second_one_raised() -> None:
    with delayed_interrupt() as is_interrupted:
        assert not is_interrupted()
        os.kill(os.getpid(), signal.SIGINT)
        assert is_interrupted()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_the_usual_handling_comes_back() -> None:
    usual = signal.getsignal(signal.SIGINT)
    with delayed_interrupt():
        assert signal.getsignal(signal.SIGINT) is not usual
    assert signal.getsignal(signal.SIGINT) is usual


def test_other_threads_are_never_interrupted() -> None:
    def ask() -> bool:
        with delayed_interrupt() as is_interrupted:
            return is_interrupted()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(ask).result() is False
