"""The stage between a file's reader and its document: pictures are recognised, pages kept."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from hoptrail.core.errors import InputError
from hoptrail.core.progress import NoProgress, Progress
from hoptrail.core.types.document import UNSURE
from hoptrail.indexing.loading.readers.content import Block, Content, Picture, Scan, guess_title
from hoptrail.indexing.loading.readers.pdf_worker import BROKEN
from hoptrail.indexing.loading.readers.pictures import A_PICTURE, PICTURE_SUFFIXES
from hoptrail.indexing.loading.reading_order import RecognisedPage
from hoptrail.indexing.loading.scans import (
    HOW_TO_GET,
    HOW_TO_TURN_ON,
    MAX_PAGES,
    OcrMode,
    is_installed,
)
from hoptrail.indexing.loading.scans.rapid_recogniser import RapidTextRecogniser
from hoptrail.indexing.loading.scans.recognised_pages import (
    MemoryShelf,
    ScanShelf,
    blocks_of_pages,
    page_of,
)
from hoptrail.indexing.loading.worker_process import Ask, ScanPool, shared_pool

SECONDS_PER_PAGE = 4.5
"""Of one process, for a page of some forty lines; what forecasts reckon with."""
_STAGE = "pages"
_ATTACHMENT = "attachment "
_MANY_FRAMES = frozenset({".tif", ".tiff"})
_UNREAD = 0.3  # of the lines, or of the words
_NOISE = 0.7  # of the words; what is read then is no text
_NOTHING = "no text was found in its picture"
_TYPICAL_WORDS = 300  # of a page, for forecasts

Answer = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Page:
    """A picture to be recognised, one of its file's `frame`s, called by its place."""

    picture: Picture
    place: str
    frame: int = 0

    def request(self) -> Answer:
        """Return what opens it."""
        asked: Answer = {"ask": "open", "frame": self.frame}
        if self.picture.data is not None:
            return {**asked, "data": base64.b64encode(self.picture.data).decode()}
        path = os.path.abspath(str(self.picture.path))
        return {**asked, "path": path, "page": self.picture.page}


class Scans:
    """Recognises the pictures of one run, as many at a time as there are cores.

    Args:
        mode: `auto` reads pictures and pages without usable text where the extra `ocr` is
            installed, `off` none, `force` every page of a PDF file too.
        shelf: Keeps what was recognised, so that no picture is read twice.
        progress: Is told of every page.
        max_pages: Pages of one file that are recognised; the others are named.
        is_forecast: Whether pages that nobody has read yet are only counted, in `counted`.
        pool: Recognises; that of this process where None.
    """

    def __init__(
        self,
        mode: OcrMode = "auto",
        *,
        shelf: ScanShelf | None = None,
        progress: Progress | None = None,
        max_pages: int = MAX_PAGES,
        is_forecast: bool = False,
        pool: ScanPool | None = None,
    ) -> None:
        self.mode = mode
        self.counted = 0
        """Pages that are still to be recognised, where this is a forecast."""
        self._shelf = shelf or MemoryShelf()
        self._progress = progress or NoProgress()
        self._max_pages = max_pages
        self._is_forecast = is_forecast
        self._own_pool = pool
        self._known: set[str] | None = None
        self._name = ""
        self._expected: dict[str, Future[Answer]] = {}

    @property
    def reads_every_page(self) -> bool:
        """Whether pages with text are recognised as well."""
        return self.mode == "force" and is_installed()

    def seconds(self) -> float:
        """Return how long the counted pages will take."""
        return self.counted * SECONDS_PER_PAGE / self._pool().size if self.counted else 0.0

    def ahead(
        self, paths: Iterable[Path | T], is_new: Callable[[Path], bool]
    ) -> Iterator[Path | T]:
        """Yield paths as they come, the next pictures among them being recognised already.

        Args:
            paths: The paths, and whatever stands between them.
            is_new: Whether a file is to be read.
        """
        waiting: list[Path | T] = []
        for path in paths:
            if isinstance(path, Path) and self._is_picture(path) and is_new(path):
                self._expect(path)
            waiting.append(path)
            if len(waiting) > self._window():
                yield waiting.pop(0)
        yield from waiting

    def read(self, content: Content, path: str | Path) -> Content:
        """Return what a file says with its pictures recognised, those that cannot be named.

        Args:
            content: As its reader found it.
            path: Its path, or its name.

        Raises:
            InputError: If nothing of it can be read.
        """
        if content.pictures:
            content = self._with_pictures(content, str(path))
        if not any(block.text.strip() for block in content.blocks):
            raise InputError(_only_reason(content))
        title = content.title or guess_title(content.joined()[0], Path(path).stem)
        return replace(content, title=title, pictures=())

    def _with_pictures(self, content: Content, path: str) -> Content:
        why_not = self._why_not()
        if why_not:
            named = list(_unread(content.pictures, why_not))
            return replace(content, left_out=(*content.left_out, *_ranges(named)))
        pages, named = self._pages(content.pictures)
        answers = self._answers(pages, path)
        return self._joined(content, pages, answers, named)

    def _why_not(self) -> str:
        if self.mode == "off":
            return HOW_TO_TURN_ON
        return "" if is_installed() else HOW_TO_GET

    def _pages(self, pictures: Sequence[Picture]) -> tuple[list[_Page], list[tuple[str, str]]]:
        """Return the pictures page by page, and those that are too many."""
        pages: list[_Page] = []
        named: list[tuple[str, str]] = []
        seen: set[bytes] = set()
        for picture in pictures:
            if picture.data is not None:
                if picture.data in seen:  # a logo on every slide
                    continue
                seen.add(picture.data)
            frames = 1
            if picture.page is None and _may_have_frames(picture):
                told = self._pool().submit(partial(_ask, _Page(picture, "").request())).result()
                if "reason" in told:
                    named.append((picture.name, told["reason"]))
                    continue
                frames = told["count"]
            pages += (
                _Page(picture, picture.name or f"page {frame + 1}", frame)
                if frames > 1
                else _Page(picture, picture.name)
                for frame in range(frames)
            )
        most = f"more than {self._max_pages:,} pages of one file: --ocr-pages N, or ocr_pages=N"
        named += [(page.place, f"not recognised: {most}") for page in pages[self._max_pages :]]
        return pages[: self._max_pages], named

    def _answers(self, pages: Sequence[_Page], path: str) -> Iterator[Answer]:
        """Yield what was found in each page, in order; what is new is kept."""
        self._progress.start(_STAGE, len(pages))
        expected = self._expected.pop(path, None)
        if expected is not None and len(pages) == 1:
            futures = [expected]
        else:
            futures = [self._pool().submit(partial(self._found, page)) for page in pages]
        try:
            for future in futures:
                answer = future.result()
                if "page" in answer:
                    self._keep(answer)
                yield answer
                self._progress.advance(_STAGE)
        finally:
            for future in futures:
                future.cancel()
        self._progress.finish(_STAGE)

    def _found(self, page: _Page, ask: Ask) -> Answer:
        """Return the hash of a page, and what is recognised in it where nobody has done so."""
        opened = ask(page.request())
        if "reason" in opened or opened["blank"]:
            return opened
        if self._is_forecast or opened["hash"] in self._known_scans():
            return opened
        return {**opened, **ask({"ask": "read"})}

    def _keep(self, answer: Answer) -> None:
        # A picture without text is shown nowhere.
        shown = base64.b64decode(answer["picture"]) if answer["page"]["lines"] else b""
        self._shelf.put_scan(answer["hash"], self._recogniser(), json.dumps(answer["page"]), shown)
        self._known_scans().add(answer["hash"])

    def _joined(
        self,
        content: Content,
        pages: Sequence[_Page],
        answers: Iterable[Answer],
        named: list[tuple[str, str]],
    ) -> Content:
        """Return a content with the blocks of its pages where their pictures stood."""
        found: list[tuple[_Page, str, RecognisedPage]] = []
        further: list[tuple[int, Block]] = []
        for page, answer in zip(pages, answers, strict=True):
            recognised, reason = self._recognised(answer)
            if recognised is not None and recognised.lines:
                found.append((page, answer["hash"], recognised))
            elif recognised is None and not reason:
                further.append((page.picture.at, _typical(page.place, answer["hash"])))
            if reason and _is_told(page, reason, content):
                named.append((page.place, reason))
        blocks = blocks_of_pages([one for *_, one in found], [page.place for page, *_ in found])
        scans: list[Scan] = []
        for (page, picture, recognised), own in zip(found, blocks, strict=True):
            number = len(scans)
            scans.append(Scan(page.place, picture, recognised.width, recognised.height))
            further += ((page.picture.at, replace(block, scan=number)) for block in own)
        return replace(
            content,
            blocks=tuple(_inserted(content.blocks, further, _pdf_pages(content.pictures))),
            left_out=(*content.left_out, *_ranges(named)),
            scans=tuple(scans),
        )

    def _recognised(self, answer: Answer) -> tuple[RecognisedPage | None, str]:
        """Return the lines of an answer and what is to be told of it.

        Neither of them is there for a page that a forecast only counts.
        """
        if "reason" in answer:
            return None, answer["reason"]
        if answer["blank"]:
            return None, _NOTHING
        if "page" in answer:
            page = RecognisedPage.from_json(answer["page"])
        else:
            stored = self._shelf.scan(answer["hash"])
            if stored is None:
                self.counted += 1
                return None, ""
            page = page_of(stored)
        total = len(page.lines) + page.unread
        if page.unread > _UNREAD * total:
            return page, (
                f"{page.unread} of {total} lines were not recognised: another script than Latin, "
                "Chinese or Japanese, handwriting, or too blurred"
            )
        words = [word for line in page.lines for word in line.words]
        unsure = sum(word.confidence < UNSURE for word in words)
        if unsure > _UNREAD * len(words):
            reason = f"{unsure:,} of {len(words):,} words cannot be read for certain"
            is_noise = unsure > _NOISE * len(words)
            return (None, f"not read: {reason}") if is_noise else (page, reason)
        return page, "" if page.lines else _NOTHING

    def _is_picture(self, path: Path) -> bool:
        """Return whether a file is one picture that is recognised."""
        suffix = path.suffix.lower()
        return suffix in PICTURE_SUFFIXES - _MANY_FRAMES and not self._why_not()

    def _expect(self, path: Path) -> None:
        """Begin to recognise a file that is a picture."""
        page = _Page(Picture("", path=path), "")
        self._expected[str(path)] = self._pool().submit(partial(self._found, page))

    def _window(self) -> int:
        return 0 if self._why_not() else self._pool().size

    def _known_scans(self) -> set[str]:
        if self._known is None:
            self._known = self._shelf.known_scans(self._recogniser())
        return self._known

    def _recogniser(self) -> str:
        self._name = self._name or RapidTextRecogniser().name
        return self._name

    def _pool(self) -> ScanPool:
        if self._known is None and not self._why_not():
            self._known_scans()  # here, as the threads of the pool are not to ask the shelf
        return self._own_pool or shared_pool(os.getpid())


def _unread(pictures: Sequence[Picture], why_not: str) -> Iterator[tuple[str, str]]:
    """Yield what is told of pictures that nobody reads, of those within an Office file once."""
    within = [one for one in pictures if one.data is not None]
    for one in pictures:
        if one.data is None or one.name.startswith(_ATTACHMENT):
            yield one.name, f"{one.reason or A_PICTURE}: {why_not}"
        elif one is within[0]:
            yield ("picture" if len(within) == 1 else f"{len(within):,} pictures"), why_not


def _ask(request: Answer, ask: Ask) -> Answer:
    return ask({**request, "ask": "count"})


def _may_have_frames(picture: Picture) -> bool:
    return picture.path is not None and picture.path.suffix.lower() in _MANY_FRAMES


def _is_told(page: _Page, reason: str, content: Content) -> bool:
    """Return whether a failure is told: not that a photo within a file shows no text."""
    if reason != _NOTHING or not page.picture.name:
        return True
    if page.picture.page is None:
        return False
    has_text = any(block.place == page.place for block in content.blocks)
    return not has_text or page.picture.reason == BROKEN


def _pdf_pages(pictures: Iterable[Picture]) -> set[str]:
    return {one.name for one in pictures if one.page is not None}


def _inserted(
    blocks: Sequence[Block], further: Sequence[tuple[int, Block]], pages: set[str]
) -> Iterator[Block]:
    """Yield blocks with further ones at their places, in the stead of those of the same page."""
    replaced = {block.place for _, block in further} & pages
    by_place: dict[int, list[Block]] = {}
    for at, block in further:
        by_place.setdefault(at, []).append(block)
    for at in range(len(blocks) + 1):
        yield from by_place.get(at, ())
        if at < len(blocks) and (not blocks[at].place or blocks[at].place not in replaced):
            yield blocks[at]


def _typical(place: str, picture: str) -> Block:
    """Return a block as long as a page's, for a forecast."""
    return Block(" ".join([picture, *["word"] * _TYPICAL_WORDS]), place)


def _only_reason(content: Content) -> str:
    """Return why nothing of a file was read."""
    reasons = list(dict.fromkeys(reason for _, reason in content.left_out))
    return reasons[0] if reasons else "holds no text"


def _ranges(named: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield what is told of pages, once for pages in turn of which the same is told."""
    begin = 0
    for at, (place, reason) in enumerate(named):
        following = named[at + 1] if at + 1 < len(named) else ("", "")
        if following[1] == reason and _number(following[0]) == _number(place) + 1 > 0:
            continue
        first = named[begin][0]
        begin = at + 1
        if first == place:
            yield place or "picture", reason
        else:
            yield f"{first}-{_number(place)}".replace("page ", "pages ", 1), reason


def _number(place: str) -> int:
    kind, _, number = place.rpartition(" ")
    return int(number) if kind == "page" and number.isdecimal() else -2
