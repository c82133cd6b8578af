"""Paths beside the API: the files of the page; for operators health, readiness, metrics."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST

from hoptrail.core.types import JsonDict
from hoptrail.web.page_files import PAGE, PageFiles
from hoptrail.web.routes import sent
from hoptrail.web.services import services_of

router = APIRouter(tags=["operation"])
page_router = APIRouter(include_in_schema=False)
FILES = PageFiles()


@router.get("/health")
async def health() -> JsonDict:
    """Say that the process lives."""
    return {"status": "ok"}


@router.get("/ready", responses=sent("Not yet, or not any more.", "application/json", status=503))
async def ready(request: Request) -> Response:
    """Say whether questions are taken."""
    services = services_of(request)
    if services.runs.is_stopping:
        return JSONResponse({"status": "stopping"}, 503)
    if not services.bases.is_warm:
        return JSONResponse({"status": "loading"}, 503)
    return JSONResponse({"status": "ready"})


@router.get(
    "/metrics", response_class=Response, responses=sent("Figures for Prometheus.", "text/plain")
)
async def metrics(request: Request) -> Response:
    """Return figures for Prometheus."""
    text = await asyncio.to_thread(services_of(request).metrics.text)
    return Response(text, headers={"Content-Type": CONTENT_TYPE_LATEST})


@page_router.api_route("/", methods=["GET", "HEAD"])
async def page(request: Request) -> Response:
    """Return the page; browsers ask whether it has changed."""
    return await FILES.get_response(PAGE, request.scope)
