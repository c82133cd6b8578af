"""Jobs: what became of uploads and deletions."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query, Request

from hoptrail.core.types import JsonDict
from hoptrail.web.errors import ApiError
from hoptrail.web.job_queue import Job
from hoptrail.web.keys import Access
from hoptrail.web.services import access_of, services_of

router = APIRouter(tags=["jobs"])


@router.get("/jobs/{job_id}")
async def job(request: Request, job_id: str) -> JsonDict:
    """Return a job of this key."""
    services, access = services_of(request), access_of(request)
    found = await asyncio.to_thread(services.queue.find, job_id)
    if found is None or not _is_seen(found, access):
        raise ApiError(404, "not_found", "there is no such job", hint="look at the base's jobs")
    return found.shown()


@router.get("/bases/{base}/jobs")
async def jobs(
    request: Request, base: str, limit: Annotated[int, Query(ge=1, le=500)] = 50
) -> JsonDict:
    """List the jobs of this key in a base, the latest first."""
    services, access = services_of(request), access_of(request)
    name, _ = services.bases.find(base, access)
    found = await asyncio.to_thread(services.queue.latest, name, limit)
    return {"jobs": [one.shown() for one in found if _is_seen(one, access)]}


def _is_seen(job: Job, access: Access) -> bool:
    return job.owner == access.name
