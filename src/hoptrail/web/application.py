"""`create_app`: the web application over knowledge bases."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from fastapi import Depends, FastAPI
from fastapi.security import HTTPBearer

from hoptrail import __version__
from hoptrail.core.settings import Settings, load_settings
from hoptrail.web.bases import ServedBases
from hoptrail.web.errors import ErrorBody, OpenAIErrorBody, add_error_handlers
from hoptrail.web.gate import Gate, is_open, path_of, route_of
from hoptrail.web.job_queue import JobQueue
from hoptrail.web.job_worker import JobWorker
from hoptrail.web.keys import KeyRing, ReadKeys, keys_of_settings
from hoptrail.web.limits import RequestRate, Spending
from hoptrail.web.monitoring import AuditLog, Metrics
from hoptrail.web.options import WebOptions
from hoptrail.web.routes import (
    Described,
    asking,
    browsing,
    feedback,
    openai,
    operation,
    overview,
    threads,
)
from hoptrail.web.runs import Runs
from hoptrail.web.services import WebServices
from hoptrail.web.sign_on import SignedOn
from hoptrail.web.threads import open_threads
from hoptrail.web.traced_requests import TracedRequests

_API = "/api/v1"
_KEY = Depends(HTTPBearer(auto_error=False, description="A key of the operator, if one is set."))
"""For the description alone: the gate reads keys, before any route is found."""
_log = logging.getLogger(__name__)


def create_app(
    options: WebOptions,
    settings: Settings | None = None,
    *,
    read_keys: ReadKeys | None = None,
) -> FastAPI:
    """Return the application; run it with one worker process, or mount it in another server.

    Its knowledge bases and files are opened when it starts and closed when it ends; nothing is
    opened or written before. A base that cannot be opened ends the start with a KnowledgeBaseError.

    Args:
        options: The operator's choices.
        settings: Models, keys and where conversations are kept; else read as always.
        read_keys: Reads the keys anew when `hoptrail.toml` changes. Where settings are given and
            this is not, their keys stay as they are.

    Raises:
        SettingsError: If a key, a name of a base or a choice of single sign-on cannot be used.
    """
    if settings is None:
        settings, read_keys = load_settings(), read_keys or keys_of_settings
    bases = ServedBases(options.bases, settings, options.context)
    people = None if settings.sign_on is None else SignedOn(settings.sign_on)
    required = options.requires_key or people is not None
    keys = KeyRing(settings.keys, required=required, read=read_keys)
    metrics = Metrics()
    audit = AuditLog(options.data / "audit.jsonl")

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            options.data.mkdir(parents=True, exist_ok=True, mode=0o700)
            stack.enter_context(audit)
            stack.push_async_callback(asyncio.to_thread, bases.close)
            await asyncio.to_thread(bases.open)
            app.state.services = services = await _open_services(
                stack, options, settings, bases, keys, people, metrics
            )
            tasks = [
                asyncio.create_task(bases.warm_up()),
                asyncio.create_task(services.worker.run()),
            ]
            try:
                yield
            finally:
                await services.runs.end_all()
                await _end(*tasks)

    app = FastAPI(
        title="Hoptrail",
        description="Multi-hop question answering with a checked trail. See docs/web_api.md.",
        version=__version__,
        openapi_url=f"{_API}/openapi.json",
        # The interactive pages would load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,
        # New versions of FastAPI make spans and logs of requests themselves, with texts in them.
        telemetry={"tracing": False, "logs": False},
    )
    app.add_middleware(
        Gate,
        rules=options.rules,
        keys=keys,
        people=people,
        upload_bytes=options.upload_bytes,
        audit=audit,
        metrics=metrics,
    )
    app.add_middleware(
        TracedRequests,
        route_of=lambda scope: route_of(scope, path_of(scope)),
        is_quiet=lambda scope: is_open(path_of(scope)),
    )
    add_error_handlers(app)
    for router in (
        overview.router,
        asking.router,
        threads.router,
        threads.shared_router,
        feedback.router,
        browsing.router,
        browsing.job_router,
    ):
        app.include_router(
            router, prefix=_API, dependencies=[_KEY], responses=_errors_as(ErrorBody)
        )
    app.include_router(openai.router, dependencies=[_KEY], responses=_errors_as(OpenAIErrorBody))
    for router in (operation.router, operation.page_router):
        app.include_router(router)
    app.mount("/static", operation.FILES)
    return app


def _errors_as(body: type[ErrorBody] | type[OpenAIErrorBody]) -> Described:
    return {"default": {"description": "Refused or failed; its code tells why.", "model": body}}


async def _open_services(
    stack: AsyncExitStack,
    options: WebOptions,
    settings: Settings,
    bases: ServedBases,
    keys: KeyRing,
    people: SignedOn | None,
    metrics: Metrics,
) -> WebServices:
    """Open what a running application has open, to be closed with the stack."""
    file = options.data / "web.sqlite"
    queue = await asyncio.to_thread(JobQueue, file)
    stack.callback(queue.close)
    spending = await asyncio.to_thread(Spending, file)
    stack.callback(spending.close)
    threads = await stack.enter_async_context(open_threads(settings, options.data))
    runs = Runs(options.at_once, options.waiting)
    metrics.watch(runs, queue.count)
    worker = JobWorker(queue, options.bases, options.data, options.extractor, beta=options.beta)
    rate = RequestRate()
    return WebServices(
        options, bases, keys, people, threads, runs, rate, spending, queue, worker, metrics
    )


async def _end(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    for ended in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(ended, Exception):
            _log.error("a task of the server failed", exc_info=ended)
