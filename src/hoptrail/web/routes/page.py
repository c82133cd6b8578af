"""The page: files of the package."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.staticfiles import StaticFiles

FOLDER = Path(__file__).parents[1] / "static"

router = APIRouter(include_in_schema=False)


@router.api_route("/", methods=["GET", "HEAD"])
async def page(request: Request) -> Response:
    """Return the page; browsers ask whether it has changed."""
    return await FILES.get_response("index.html", request.scope)


class _Static(StaticFiles):
    """Files that browsers ask about before they use them again: a new version counts at once."""

    def file_response(self, *arguments: object, **options: object) -> Response:
        """Return a file, or that it has not changed since the browser got it."""
        response = super().file_response(*arguments, **options)  # type: ignore[arg-type]
        response.headers["Cache-Control"] = "no-cache"
        return response


FILES = _Static(directory=FOLDER)
"""The application of the page's files."""
