"""The files of the page: in memory, compressed, and the page with what its first paint needs."""

from __future__ import annotations

import base64
import gzip
import hashlib
from mimetypes import guess_type
from pathlib import Path

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from hoptrail.web.gate import POLICY

FOLDER = Path(__file__).parent / "static"
PAGE = "index.html"
_INLINED = {
    "style": ("style.css", '<link rel="stylesheet" href="static/style.css">'),
    "script": ("early.js", '<script src="static/early.js"></script>'),
}
"""By element, what is painted only when it is there, and how the page refers to it."""


class PageFiles(StaticFiles):
    """ASGI application of the page's files.

    It holds them: no request waits for a disk or a thread. Browsers ask about them before they
    use them again, so that a new version counts at once.
    """

    def __init__(self) -> None:
        super().__init__(directory=FOLDER)
        page, policy = _whole_page()
        self._bodies = {path.name: path.read_bytes() for path in FOLDER.iterdir()}
        self._bodies[PAGE] = page
        self._packed = {name: gzip.compress(body) for name, body in self._bodies.items()}
        self._policies = {PAGE: policy}

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file, or that it has not changed since the browser got it.

        Raises:
            HTTPException: If there is no such file, or something else than reading is asked.
        """
        if scope["method"] not in ("GET", "HEAD"):
            raise HTTPException(405, headers={"Allow": "GET, HEAD"})
        if path not in self._bodies:
            raise HTTPException(404)
        asked = Headers(scope=scope)
        body = self._bodies[path]
        headers = {
            "Cache-Control": "no-cache",
            # Also with 304: browsers put its headers in place of those that they have.
            "Content-Security-Policy": self._policies.get(path, POLICY),
            "ETag": f'"{hashlib.sha256(body).hexdigest()[:16]}"',
            "Vary": "Accept-Encoding",
        }
        if self.is_not_modified(Headers(headers), asked):
            return Response(status_code=304, headers=headers)
        if "gzip" in asked.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
            body = self._packed[path]
        return Response(body, headers=headers, media_type=guess_type(path)[0])


def _whole_page() -> tuple[bytes, str]:
    """Return the page with style and colours in it, and the policy that allows these two texts.

    Painting would wait for each of them, and they for the modules that are loaded beside them.
    """
    page, policy = (FOLDER / PAGE).read_text(encoding="utf-8"), POLICY
    for element, (name, reference) in _INLINED.items():
        text = (FOLDER / name).read_text(encoding="utf-8")
        page = page.replace(reference, f"<{element}>{text}</{element}>")
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
        policy += f"; {element}-src 'self' 'sha256-{digest}'"
    return page.encode(), policy
