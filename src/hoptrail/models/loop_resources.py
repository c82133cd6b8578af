"""The connections and chat models of an event loop; both are of no use in another one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import httpx

from hoptrail.core.tracing.spans import hand_on
from hoptrail.models.redirects import refuse_redirect
from hoptrail.models.usage_check import check_usage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


@dataclass
class LoopResources:
    """A pool of connections, and the chat models that were opened over it.

    Attributes:
        client: The pool; closed with the loop, which its connections must not outlive.
        models: Chat models by name, server and limits.
        closer: Closes the pool when the loop shuts down.
        transports: Pools of libraries that take no client; closed with the loop as well.
    """

    client: httpx.AsyncClient
    closer: AsyncGenerator[None, None]
    models: dict[tuple[object, ...], BaseChatModel] = field(default_factory=dict)
    transports: list[httpx.AsyncHTTPTransport] = field(default_factory=list)

    def new_transport(self) -> httpx.AsyncHTTPTransport:
        """Return a pool of connections that is closed with the loop."""
        self.transports.append(httpx.AsyncHTTPTransport())
        return self.transports[-1]


_BY_LOOP: dict[asyncio.AbstractEventLoop, LoopResources] = {}


async def loop_resources() -> LoopResources:
    """Return the resources of the running event loop, made on the first call."""
    loop = asyncio.get_running_loop()
    if loop in _BY_LOOP:
        return _BY_LOOP[loop]
    client = await asyncio.to_thread(_new_client)
    if loop in _BY_LOOP:  # another task was faster
        await client.aclose()
        return _BY_LOOP[loop]

    async def close_with_loop() -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            resources = _BY_LOOP.pop(loop)
            for transport in resources.transports:
                await transport.aclose()
            await client.aclose()

    # A loop closes its started asynchronous generators when it shuts down: the only hook there is.
    closer = close_with_loop()
    _BY_LOOP[loop] = LoopResources(client, closer)
    await anext(closer)
    return _BY_LOOP[loop]


def _new_client() -> httpx.AsyncClient:
    async def check(response: httpx.Response) -> None:
        refuse_redirect(response)
        check_usage(response)

    return httpx.AsyncClient(
        follow_redirects=True,
        # What comes compressed cannot be checked.
        headers={"Accept-Encoding": "identity"},
        event_hooks={"request": [name_trace], "response": [check]},
    )


async def name_trace(request: httpx.Request) -> None:
    """Tell a server which trace the request is part of, if any."""
    hand_on(request.headers)
