"""Work in a fork of the test's process, which may be killed: it pays for no imports."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable


def run_in_child(work: Callable[[], object]) -> int:
    """Begin the work in a fork; return the process id."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            work()
            status = 0
        except KeyboardInterrupt:
            status = 130
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    return pid


def finish(pid: int) -> int:
    """Wait for the end of a fork; return its exit code, the negative signal where one ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def count_calls(work: Callable[[], object]) -> int:
    """Do the work, and return how many calls it makes of functions, written in C or not."""
    calls = 0

    def count(number: int) -> None:
        nonlocal calls
        calls = number

    _tell_calls(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def _tell_calls(tell: Callable[[int], None]) -> None:
    """Tell the number of each call of a function from now on."""
    calls = 0

    def called(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        if event in ("call", "c_call"):
            calls += 1
            tell(calls)

    sys.setprofile(called)


def run_until_call(work: Callable[[], object], last: int) -> int:
    """Begin the work in a fork that is killed at a call, however busy the machine is.

    Args:
        work: The work.
        last: The number of the call at which it is killed, counted as `count_calls` does.

    Returns:
        The process id.
    """

    def stop(number: int) -> None:
        if number == last:
            os.kill(os.getpid(), signal.SIGKILL)

    def work_until() -> None:
        _tell_calls(stop)
        work()

    return run_in_child(work_until)
