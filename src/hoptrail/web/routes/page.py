"""The page: files of the package."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

FOLDER = Path(__file__).parents[1] / "static"

router = APIRouter(include_in_schema=False)


@router.get("/")
async def page() -> Response:
    """Return the page; browsers ask whether it has changed."""
    return FileResponse(
        FOLDER / "index.html", media_type="text/html", headers={"Cache-Control": "no-cache"}
    )


def static_files() -> StaticFiles:
    """Return the application of the page's other files."""
    return _Static(directory=FOLDER)


class _Static(StaticFiles):
    """Files that browsers ask about before they use them again: a new version counts at once."""

    def file_response(self, *arguments: object, **options: object) -> Response:
        """Return a file, or that it has not changed since the browser got it."""
        response = super().file_response(*arguments, **options)  # type: ignore[arg-type]
        response.headers["Cache-Control"] = "no-cache"
        return response
