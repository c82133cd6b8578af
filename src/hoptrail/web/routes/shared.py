"""Threads of others, read by their links."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request

from hoptrail.core.types import JsonDict
from hoptrail.web.routes.threads import turns_of
from hoptrail.web.services import access_of, services_of

router = APIRouter(prefix="/shared", tags=["threads"])


@router.get("/{token}")
async def shared(request: Request, token: str) -> JsonDict:
    """Return a thread of somebody else by its link, to be read."""
    services, access = services_of(request), access_of(request)
    known = services.bases.names(access)
    link, entry = await services.threads.open_shared(access, known, token)
    _, hoptrail = services.bases.find(entry.base, access)
    turns = await asyncio.to_thread(turns_of, hoptrail, link.thread)
    return {"title": entry.title, "base": entry.base, "expires": link.expires, "turns": turns}
