"""RapidOCR as the recogniser: PP-OCR models that its wheel holds, run by ONNX on the CPU.

The steps are called one by one, as a page that lies on its side or upside down can be told only
between finding its lines and reading them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib.metadata import version
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hoptrail.core.optional import require
from hoptrail.core.types.document import Quad
from hoptrail.indexing.loading.reading_order import (
    RecognisedLine,
    RecognisedPage,
    RecognisedWord,
)

if TYPE_CHECKING:
    from PIL.Image import Image

Corners = NDArray[np.float32]  # shape (4, 2): from where reading begins, clockwise

EXTRA = "ocr"
PURPOSE = "reading pictures and scanned pages"
_SEARCHED_SIDE = 1_280  # pixels of the longer side of the picture in which lines are looked for
_LEAST_SIDE = 6  # pixels of a line
_LEAST_CONFIDENCE = 0.6  # of a line; below it, what was read is no text of the page
_LEAST_DENSITY = 0.3  # characters on a stretch as wide as the line is high; text has two or so
_TALL = 1.5  # height by width from which a line is taken to run up or down
_SAMPLE = 9  # lines that tell whether a page is upside down
_FEW_VOTES = 0.3  # of them
_READ_BOTH_WAYS = 3  # lines
_LOOKED_AT = 6.0  # width by height of the part of a line that tells where it begins
_READ_OF_LINE = 14.0  # width by height of the part that is read both ways
_LONGEST_ASPECT = 60  # width by height of a line, in one piece
_INK = 0.25  # of the largest difference from the ground
_MIDDLE = 0.12  # of the height left out above and below: other lines reach into it
_SPECKS = 0.02  # of the height that may be dark in a blank column
_NEAR = 2  # pixels from its middle in which a letter must be seen
_LEAST_SPACES = 2  # that tell how wide spaces of the line are
_AS_WIDE = 0.85  # of the usual space
_NARROWEST = 0.2  # of the height; noise narrows the spaces that are seen


class RapidTextRecogniser:
    """Recognises Latin, Chinese and Japanese script; the models are loaded when first used.

    Raises:
        MissingExtraError: If RapidOCR is not installed.
    """

    def __init__(self) -> None:
        self._rapid = require("rapidocr", extra=EXTRA, purpose=PURPOSE)
        self._cv2 = require("cv2", extra=EXTRA, purpose=PURPOSE)

    @property
    def name(self) -> str:
        """Name and version of RapidOCR, and the number of the way it is used in."""
        return f"rapidocr-{version('rapidocr')}-4"

    @cached_property
    def _engine(self) -> Any:
        # One thread: pages are recognised in as many processes as there are cores.
        return self._rapid.RapidOCR(
            params={
                "Global.log_level": "critical",
                "Global.use_preprocess_img": False,
                "Global.width_height_ratio": -1,
                "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                "EngineConfig.onnxruntime.inter_op_num_threads": 1,
            }
        )

    def recognise(self, picture: Image) -> RecognisedPage:
        """Return the lines of a picture in the mode RGB, turned upright."""
        pixels = np.ascontiguousarray(np.asarray(picture)[:, :, ::-1])
        found = [_in_reading_order(box) for box in self._found_boxes(pixels)]
        turned = self._turn(pixels, found)
        height, width = pixels.shape[:2]
        for _ in range(turned // 90):
            found = [_turned_corners(box, height) for box in found]
            height, width = width, height
        pixels = np.ascontiguousarray(np.rot90(pixels, -turned // 90))
        lines = [self._line(pixels, box) for box in found]
        read = tuple(line for line in lines if line is not None)
        return RecognisedPage(read, width, height, turned, len(lines) - len(read))

    def _found_boxes(self, pixels: NDArray[np.uint8]) -> Iterator[Corners]:
        """Yield the corners of lines, looked for in a smaller picture: that costs most of all."""
        height, width = pixels.shape[:2]
        scale = min(1.0, _SEARCHED_SIDE / max(height, width))
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        smaller = self._cv2.resize(pixels, size, interpolation=self._cv2.INTER_AREA)
        result = self._engine(smaller, use_det=True, use_cls=False, use_rec=False)
        boxes = getattr(result, "boxes", None)
        for box in boxes if boxes is not None else ():
            corners = np.asarray(box, dtype=np.float32) / np.float32(scale)
            if min(_size(corners)) >= _LEAST_SIDE:
                yield corners

    def _turn(self, pixels: NDArray[np.uint8], boxes: Sequence[Corners]) -> int:
        """Return by how many degrees clockwise a picture is to be turned.

        Most lines tell by their shape whether they run across, and the longest of them by their
        letters where they begin.
        """
        if not boxes:
            return 0
        tall = [box for box in boxes if _is_tall(box)]
        lies = sum(map(_length, tall)) > 0.5 * sum(map(_length, boxes))
        own = tall if lies else [box for box in boxes if not _is_tall(box)]
        starts = np.roll(np.arange(4), 1) if lies else np.arange(4)  # read from the bottom upwards
        sample = [box[starts] for box in sorted(own, key=_length, reverse=True)]
        is_over = self._are_upside_down(pixels, sample[:_SAMPLE])
        if lies:
            return 270 if is_over else 90
        return 180 if is_over else 0

    def _are_upside_down(self, pixels: NDArray[np.uint8], sample: Sequence[Corners]) -> bool:
        """Return whether lines stand on their heads: as they look, where in doubt as they read."""
        votes = [self._upside_down(pixels, box) for box in sample]
        if sum(votes) < _FEW_VOTES * len(votes):
            return False
        read = [
            (self._score(pixels, box), self._score(pixels, np.roll(box, 2, axis=0)))
            for box in sample[:_READ_BOTH_WAYS]
        ]
        return sum(over for _, over in read) > sum(upright for upright, _ in read)

    def _upside_down(self, pixels: NDArray[np.uint8], corners: Corners) -> float:
        """Return how sure it is, from 0 to 1, that a line stands on its head."""
        begin = _part(corners, 0.0, min(1.0, _LOOKED_AT / max(1e-6, _aspect(corners))))
        cut = self._cut_out(pixels, begin)
        result = self._engine(cut, use_det=False, use_cls=True, use_rec=False)
        label, score = (getattr(result, "cls_res", None) or [("0", 1.0)])[0]
        return float(score if "180" in label else 1.0 - score)

    def _score(self, pixels: NDArray[np.uint8], corners: Corners) -> float:
        """Return how well the middle of a line can be read."""
        share = min(1.0, _READ_OF_LINE / max(1e-6, _aspect(corners)))
        middle = _part(corners, 0.5 - share / 2, 0.5 + share / 2)
        cut = self._cut_out(pixels, middle)
        result = self._engine(cut, use_det=False, use_cls=False, use_rec=True)
        scores = getattr(result, "scores", None)
        return float(scores[0]) if scores else 0.0

    def _line(self, pixels: NDArray[np.uint8], corners: Corners) -> RecognisedLine | None:
        """Return what a line says, None where it cannot be made out."""
        if _is_tall(corners):
            corners = np.roll(corners, 1, axis=0)
            if self._upside_down(pixels, corners) > 0.5:
                corners = np.roll(corners, 2, axis=0)
        cut = self._cut_out(pixels, corners)
        result = self._engine(cut, use_det=False, use_cls=False, use_rec=True, return_word_box=True)
        if not getattr(result, "txts", None) or result.scores[0] < _LEAST_CONFIDENCE:
            return None
        if len(result.txts[0]) < _LEAST_DENSITY * _aspect(corners):
            return None  # a script that the models do not know comes out as a letter here and there
        words = tuple(_words(result.txts[0], result.word_results[0], corners, cut))
        return RecognisedLine(words, _quad(corners)) if words else None

    def _cut_out(self, pixels: NDArray[np.uint8], corners: Corners) -> NDArray[np.uint8]:
        """Return the picture of a line alone, as if it ran straight across."""
        width, height = (max(1, round(side)) for side in _size(corners))
        width = min(width, _LONGEST_ASPECT * height)
        straight = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32)
        matrix = self._cv2.getPerspectiveTransform(np.ascontiguousarray(corners), straight)
        cut: NDArray[np.uint8] = self._cv2.warpPerspective(
            pixels,
            matrix,
            (width, height),
            borderMode=self._cv2.BORDER_REPLICATE,
            flags=self._cv2.INTER_CUBIC,
        )
        return cut


def _words(
    text: str, info: Any, corners: Corners, picture: NDArray[np.uint8]
) -> Iterator[RecognisedWord]:
    """Yield the words of a line with their boxes.

    Args:
        text: The characters that were read.
        info: Their columns, white space left out, and the confidence of each character.
        corners: The line's.
        picture: The line alone.
    """
    columns = [column for word in info.word_cols for column in word]
    if not columns or not info.line_txt_len:
        return
    sure = [one for one, letter in zip(info.confs, text, strict=False) if not letter.isspace()]
    middles = [(column + 0.5) / info.line_txt_len for column in columns]
    steps = np.diff(middles)
    # Some letters are wide, so that half of a step would cut them.
    half = 0.7 * float(np.median(steps)) if len(steps) else 1.0 / info.line_txt_len
    begin = 0
    for word in with_missing_spaces(text, middles, picture):
        end = begin + len(word)
        yield RecognisedWord(
            word,
            _quad(
                _part(corners, max(0.0, middles[begin] - half), min(1.0, middles[end - 1] + half))
            ),
            # The least sure letter decides, as one wrong letter makes a wrong word.
            round(float(min(sure[begin:end])), 3),
        )
        begin = end


def _part(corners: Corners, begin: float, end: float) -> Corners:
    """Return the corners of a part of a line, its ends as shares of the length."""
    upper, lower = corners[1] - corners[0], corners[2] - corners[3]
    return np.array(
        [
            corners[0] + begin * upper,
            corners[0] + end * upper,
            corners[3] + end * lower,
            corners[3] + begin * lower,
        ],
        dtype=np.float32,
    )


def _in_reading_order(corners: Corners) -> Corners:
    """Return the corners clockwise, from the one where the side begins that points to the right.

    A long line that runs down the page at a slant has both its left corners at one end, so that
    their places alone do not tell.
    """
    centre = corners.mean(axis=0)
    angles = np.arctan2(corners[:, 1] - centre[1], corners[:, 0] - centre[0])
    clockwise = corners[np.argsort(angles, kind="stable")]
    sides = np.roll(clockwise, -1, axis=0) - clockwise
    rightwards = sides[:, 0] / np.maximum(np.hypot(sides[:, 0], sides[:, 1]), 1e-6)
    ordered: Corners = np.roll(clockwise, -int(np.argmax(rightwards)), axis=0)
    return ordered.astype(np.float32)


def _turned_corners(corners: Corners, height: int) -> Corners:
    """Return corners after the picture was turned clockwise by 90 degrees."""
    turned = np.stack([height - corners[:, 1], corners[:, 0]], axis=1).astype(np.float32)
    return _in_reading_order(turned)


def _size(corners: Corners) -> tuple[float, float]:
    """Return width and height along the sides, in pixels."""
    sides = [math.dist(corners[at], corners[(at + 1) % 4]) for at in range(4)]
    return max(sides[0], sides[2]), max(sides[1], sides[3])


def _aspect(corners: Corners) -> float:
    width, height = _size(corners)
    return width / max(1.0, height)


def _length(corners: Corners) -> float:
    return max(_size(corners))


def _is_tall(corners: Corners) -> bool:
    width, height = _size(corners)
    return height >= _TALL * width


def _quad(corners: Corners) -> Quad:
    x0, y0, x1, y1, x2, y2, x3, y3 = (round(float(one)) for one in corners.reshape(-1))
    return (x0, y0, x1, y1, x2, y2, x3, y3)


def with_missing_spaces(
    text: str, columns: Sequence[float], picture: NDArray[np.uint8]
) -> tuple[str, ...]:
    """Return the words of a line, those parted that stand as far apart as its other words.

    Args:
        text: The line as it was read.
        columns: The middle of each character that is no white space, from 0 to 1.
        picture: The line's picture, shape (height, width, 3).
    """
    words = text.split()
    gaps = _gaps(columns, picture)
    firsts = np.cumsum([len(word) for word in words]).tolist()
    spaces = [gaps[first - 1] for first in firsts[:-1]]
    if len(spaces) < _LEAST_SPACES:
        return tuple(words)
    least = max(_NARROWEST, _AS_WIDE * median(spaces))
    parted: list[str] = []
    at = 0
    for word in words:
        begin = 0
        for place in range(1, len(word)):
            is_between = word[place - 1].isalnum() and word[place].isalnum()
            if is_between and gaps[at + place - 1] >= least:
                parted.append(word[begin:place])
                begin = place
        parted.append(word[begin:])
        at += len(word)
    return tuple(parted)


def _gaps(columns: Sequence[float], picture: NDArray[np.uint8]) -> list[float]:
    """Return the widest blank stretch between each two characters, in heights of the line."""
    height, width = picture.shape[:2]
    edge = int(_MIDDLE * height)
    grey = picture.mean(axis=2)[edge : height - edge]
    away = np.abs(grey - np.median(grey))
    ink = away > _INK * np.percentile(away, 99)
    is_blank = ink.sum(axis=0) <= _SPECKS * height
    middles = [min(width - 1, int(one * width)) for one in columns]
    return [_blank_between(is_blank, *pair) / height for pair in pairwise(middles)]


def _blank_between(is_blank: NDArray[np.bool_], one: int, other: int) -> int:
    """Return the longest blank stretch between the middles of two letters, which must be seen.

    A thin letter of a faint page may be no darker than the ground: that is no space.
    """
    if _is_unseen(is_blank, one) or _is_unseen(is_blank, other):
        return 0
    return _longest_run(is_blank[one : other + 1])


def _is_unseen(is_blank: NDArray[np.bool_], middle: int) -> bool:
    return bool(is_blank[max(0, middle - _NEAR) : middle + _NEAR + 1].all())


def _longest_run(marks: NDArray[np.bool_]) -> int:
    """Return the length of the longest run of true marks."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], marks, [False])).astype(np.int8)))
    return int((edges[1::2] - edges[::2]).max(initial=0))
