"""The application that `hoptrail serve` mounts around the LangGraph server's own."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware

from hoptrail.cli.gate_rules import GateRules
from hoptrail.cli.serve import GRACE_VARIABLE, RULES_VARIABLE, served_defaults
from hoptrail.cli.server_gate import ServerGate
from hoptrail.cli.server_stop import ServerStop
from hoptrail.services.open_knowledge_bases import open_listed_knowledge_bases

# Of CORS middleware: the server's own refuses every browser that asks for a private network.
_EXPOSED = ("x-pagination-total", "x-pagination-next", "content-location")

# Outside `hoptrail serve`, which sets them, nothing but this machine's own programs is let in.
_rules = GateRules.from_json(os.environ.get(RULES_VARIABLE) or GateRules().to_json())
_stop = ServerStop(os.getcwd(), grace=float(os.environ.get(GRACE_VARIABLE) or 0))
_gate = Middleware(ServerGate, rules=_rules, stop=_stop, defaults=served_defaults())
_cors = Middleware(
    CORSMiddleware,
    allow_origins=_rules.origins,
    allow_methods=["*"],
    allow_headers=["*"],
    allow_private_network=True,
    expose_headers=_EXPOSED,
)

_RUNS = "langgraph_api.worker"
_OWN_ERROR = "<class 'hoptrail.core.errors."
_FIRST_REPORT = "Run encountered an error"  # a second one follows, of the run as a whole


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    # Beside the start, for it takes seconds; a request that comes meanwhile waits for it.
    opening = asyncio.create_task(asyncio.to_thread(open_listed_knowledge_bases))
    async with _stop.lifespan(app):
        yield
    await opening


app = Starlette(middleware=[_gate, _cors], lifespan=_lifespan)


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
