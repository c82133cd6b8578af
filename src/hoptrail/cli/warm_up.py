"""Loading in the background what the first question needs, while it is typed."""

from __future__ import annotations

import logging
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hoptrail.api import Hoptrail

_log = logging.getLogger(__name__)


class WarmUp:
    """A thread that loads the embedder and what else a question passes through.

    A failure is only logged: the question meets it again, and there it is told.

    Args:
        hoptrail: The open knowledge base; closing it ends the thread.
    """

    def __init__(self, hoptrail: Hoptrail) -> None:
        self._hoptrail = hoptrail
        self._thread = Thread(target=self._run, name="warm-up")
        self._thread.start()

    def wait(self) -> None:
        """Wait until all is loaded."""
        self._thread.join()

    def _run(self) -> None:
        try:
            self._hoptrail.warm_up()
            _log.info("warmed up")
        except Exception as error:
            _log.info("warming up failed: %s", error)
