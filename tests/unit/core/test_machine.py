"""Tests of pausing the garbage collector."""

from __future__ import annotations

import gc

import pytest

from hoptrail.core.machine import paused_garbage_collection


def test_the_collector_rests_inside_and_goes_on_afterwards() -> None:
    with paused_garbage_collection():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_the_collector_goes_on_after_the_last_of_several_pauses() -> None:
    first, second = paused_garbage_collection(), paused_garbage_collection()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert not gc.isenabled()
    second.__exit__(None, None, None)
    assert gc.isenabled()


def test_an_error_inside_does_not_leave_the_collector_off() -> None:
    with pytest.raises(ValueError, match="inside"), paused_garbage_collection():
        raise ValueError("inside")
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with paused_garbage_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_function_can_be_decorated_and_called_again() -> None:
    @paused_garbage_collection()
    def is_collecting() -> bool:
        return gc.isenabled()

    assert [is_collecting(), is_collecting(), gc.isenabled()] == [False, False, True]
