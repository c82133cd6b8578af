"""Documents and entities: listed, shown, uploaded, deleted, and what became of such jobs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from hoptrail.api import Hoptrail
from hoptrail.api.browsing import LONGEST_WINDOW
from hoptrail.api.neighbourhood import MOST_NODES
from hoptrail.core.errors import InputError, UnknownNameError
from hoptrail.core.types import JsonDict
from hoptrail.web.errors import ApiError
from hoptrail.web.job_queue import Job
from hoptrail.web.keys import Access
from hoptrail.web.routes import sent
from hoptrail.web.services import access_of, request_notes, services_of

router = APIRouter(prefix="/bases/{base}", tags=["documents and entities"])
job_router = APIRouter(tags=["jobs"])

Limit = Annotated[int, Query(ge=1, le=500)]
Offset = Annotated[int, Query(ge=0)]
Character = Annotated[int | None, Query(ge=0)]
Identifier = Annotated[str, Query(min_length=1, max_length=2000)]
Search = Annotated[str, Query(max_length=500)]
_NAME_BYTES = 200  # file systems take 255, and some are added


@router.get("/documents")
async def documents(
    request: Request, base: str, q: Search = "", limit: Limit = 100, offset: Offset = 0
) -> JsonDict:
    """List documents by id."""
    hoptrail, wanted = _base(request, base)
    return await asyncio.to_thread(hoptrail.documents, q, limit=limit, offset=offset, filter=wanted)


@router.get("/fields")
async def fields(request: Request, base: str) -> JsonDict:
    """List what a filter can ask for, with some values of each."""
    hoptrail, wanted = _base(request, base)
    found = await asyncio.to_thread(hoptrail.fields, filter=wanted)
    found["fields"].pop("uri", None)  # folders of this machine
    return found


@router.get("/document")
async def document(
    request: Request,
    base: str,
    id: Identifier,
    start: Character = None,
    end: Character = None,
    around: Character = None,
    length: Annotated[int, Query(ge=1, le=LONGEST_WINDOW)] = LONGEST_WINDOW,
) -> JsonDict:
    """Return a document, or the part of a long one around a highlight."""
    hoptrail, wanted = _base(request, base)
    return await asyncio.to_thread(
        hoptrail.document,
        id,
        start=start,
        end=end,
        around=around,
        length=length,
        filter=wanted,
    )


@router.get(
    "/picture",
    response_class=Response,
    responses=sent("The picture of the page.", "image/webp"),
)
async def picture(
    request: Request, base: str, id: Identifier, number: Annotated[int, Query(ge=0)]
) -> Response:
    """Return the picture of a page whose text was recognised in it, WebP."""
    hoptrail, wanted = _base(request, base)
    found = await asyncio.to_thread(hoptrail.page_picture, id, number, filter=wanted)
    if found is None:
        raise UnknownNameError("page", f"{number}", (), listing="its document tells the pages")
    return Response(found, media_type="image/webp", headers={"Cache-Control": "private, no-cache"})


@router.post(
    "/documents",
    status_code=202,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"format": "binary"}}},
        }
    },
)
async def upload(request: Request, base: str, name: str) -> JsonDict:
    """Take a file, to be indexed when its turn comes."""
    services, access = services_of(request), access_of(request)
    base, _ = services.bases.find(base, access)
    services.require_writes(access)
    services.runs.require_going_on()
    services.rate.take(access)
    job_id = uuid4().hex
    file = services.worker.incoming(base, job_id)
    try:
        size = await _save(request, file)
        if not size:
            raise InputError("the file is empty", hint="choose one with something in it")
        job = await asyncio.to_thread(
            services.queue.put, base, access.name, "upload", _file_name(name), id=job_id
        )
    except BaseException:
        file.unlink(missing_ok=True)
        raise
    services.worker.wake()
    request_notes(request).details.update(base=base, job=job.id, bytes=size)
    return job.shown()


@router.delete("/document", status_code=202)
async def delete(request: Request, base: str, id: Identifier) -> JsonDict:
    """Delete a document when its turn comes."""
    services, access = services_of(request), access_of(request)
    base, hoptrail = services.bases.find(base, access)
    services.require_writes(access)
    await asyncio.to_thread(hoptrail.document, id, length=1)
    job = await asyncio.to_thread(services.queue.put, base, access.name, "delete", id)
    services.worker.wake()
    request_notes(request).details.update(base=base, job=job.id)
    return job.shown()


@router.get("/entities")
async def entities(request: Request, base: str, q: Search = "", limit: Limit = 20) -> JsonDict:
    """Search entities by name; without a text, those with the most relations."""
    hoptrail, wanted = _base(request, base)
    return await asyncio.to_thread(hoptrail.entities, q, limit=limit, filter=wanted)


@router.get("/entity")
async def entity(request: Request, base: str, id: Identifier, limit: Limit = 50) -> JsonDict:
    """Return an entity with its relations, passages and communities."""
    hoptrail, wanted = _base(request, base)
    return await asyncio.to_thread(hoptrail.entity, id, limit=limit, filter=wanted)


@router.get("/neighbourhood")
async def neighbourhood(
    request: Request,
    base: str,
    id: Identifier,
    nodes: Annotated[int, Query(ge=1, le=MOST_NODES)] = 60,
) -> JsonDict:
    """Return the entities around one and the relations among them, to be drawn."""
    hoptrail, wanted = _base(request, base)
    return await asyncio.to_thread(hoptrail.neighbourhood, id, nodes=nodes, filter=wanted)


def _base(request: Request, name: str) -> tuple[Hoptrail, Any]:
    """Return a base, and the filter under which this key sees it."""
    access = access_of(request)
    _, hoptrail = services_of(request).bases.find(name, access)
    return hoptrail, access.filter


def _file_name(name: str) -> str:
    """Return the name under which a file is kept: no path, nothing hidden, nothing unprintable."""
    kept = name.replace("\\", "/").rpartition("/")[2].strip()
    usable = kept and kept.isprintable() and not kept.startswith(".")
    if not usable or len(kept.encode("utf-8", "replace")) > _NAME_BYTES:
        raise InputError(
            "the name of the file cannot be used",
            hint=f"give one of at most {_NAME_BYTES} bytes that does not begin with a dot",
        )
    return kept


async def _save(request: Request, file: Path) -> int:
    """Write the body to a file and return its size; it is on the disk then."""
    await asyncio.to_thread(file.parent.mkdir, parents=True, exist_ok=True)
    size = 0
    handle = await asyncio.to_thread(file.open, "wb")
    try:
        async for piece in request.stream():
            size += len(piece)
            await asyncio.to_thread(handle.write, piece)
        await asyncio.to_thread(_flush, handle)
    finally:
        await asyncio.to_thread(handle.close)
    return size


def _flush(handle: Any) -> None:
    import os

    handle.flush()
    os.fsync(handle.fileno())


@job_router.get("/jobs/{job_id}")
async def job(request: Request, job_id: str) -> JsonDict:
    """Return a job of this key."""
    services, access = services_of(request), access_of(request)
    found = await asyncio.to_thread(services.queue.find, job_id)
    if found is None or not _is_seen(found, access):
        raise ApiError(404, "not_found", "there is no such job", hint="look at the base's jobs")
    return found.shown()


@job_router.get("/bases/{base}/jobs")
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
