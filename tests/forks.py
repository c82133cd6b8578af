"""Work in a fork of the test's process, which may be killed: it pays for no imports."""

from __future__ import annotations

import os
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
