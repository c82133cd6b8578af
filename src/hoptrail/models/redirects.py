"""A prompt goes to the server that the settings name, and to no other that it points to."""

from __future__ import annotations

import httpx


class RedirectRefusedError(ConnectionError):
    """A server's answer points to another host, port or scheme; nothing was sent there."""


def refuse_redirect(response: httpx.Response) -> None:
    """Let redirects pass that stay with the server; a hook of an HTTP client that follows them.

    Raises:
        RedirectRefusedError: If the response points elsewhere.
    """
    if not response.has_redirect_location:
        return
    asked = response.request.url
    pointed = asked.join(response.headers["location"])
    if _origin(asked) != _origin(pointed):
        there = f"{pointed.scheme}://{pointed.netloc.rpartition(b'@')[2].decode('ascii')}"
        raise RedirectRefusedError(f"the server redirects to {there}, which was not followed")


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
