"""The address of the page, for links that clients show."""

from __future__ import annotations

from fastapi import Request


def page_address(request: Request, public_url: str | None) -> str:
    """Return the address of the page as the sender of a request reaches it, ending in a slash.

    Args:
        request: Its Host header was checked; a proxy on this machine tells the scheme.
        public_url: The operator's word for it.
    """
    return f"{(public_url or str(request.base_url)).rstrip('/')}/"
