"""The log of the LangGraph server, with one line on a run that ended in an error of Hoptrail."""

from __future__ import annotations

import logging

_RUNS = "langgraph_api.worker"
_OWN_ERROR = "<class 'hoptrail.core.errors."
_FIRST_REPORT = "Run encountered an error"  # a second one follows, of the run as a whole


class OneLineForOwnErrors(logging.Filter):
    """Leaves out the traceback of errors whose message says all: the client gets that too."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the record is logged; its traceback is dropped where it is no bug's."""
        entry: object = record.msg
        if not isinstance(entry, dict):  # the server's own form, its traceback already a text
            return True
        event = str(entry.get("event", ""))
        if _OWN_ERROR not in event:
            return True
        entry.pop("exception", None)
        return not event.startswith(_FIRST_REPORT)


def shorten_own_errors() -> None:
    """Let the server log errors of Hoptrail in one line each."""
    logging.getLogger(_RUNS).addFilter(OneLineForOwnErrors())
