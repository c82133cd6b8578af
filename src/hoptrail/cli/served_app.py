"""The application that `hoptrail serve` mounts around the LangGraph server's own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.types import Scope

from hoptrail.cli.gate_rules import GateRules
from hoptrail.cli.serve import GRACE_VARIABLE, RULES_VARIABLE, served_defaults
from hoptrail.cli.server_gate import ServerGate, ServerStop
from hoptrail.services.open_knowledge_bases import open_listed_knowledge_bases
from hoptrail.web.traced_requests import TracedRequests

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


def _route_of(scope: Scope) -> str:
    """Return the pattern of a path, which the server's own routes leave as a text."""
    route = scope.get("route")
    return str(getattr(route, "path", route) or "other")


_traced = Middleware(
    TracedRequests,
    route_of=_route_of,
    is_quiet=lambda scope: scope["path"] in ("/ok", "/info", "/metrics"),
)


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[None]:
    # Beside the start, for it takes seconds; a request that comes meanwhile waits for it.
    opening = asyncio.create_task(asyncio.to_thread(open_listed_knowledge_bases))
    async with _stop.lifespan(app):
        yield
    await opening


app = Starlette(middleware=[_traced, _gate, _cors], lifespan=_lifespan)
