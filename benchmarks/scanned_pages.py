"""Forty scanned pages of known text: skewed, noisy, coarse, turned, in columns, with tables.

The pages tell of invented places and people, the same for the same seed, so that every word that a
recogniser should find is known, and questions have one answer.
"""

from __future__ import annotations

import io
import random
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from PIL.Image import Resampling, Transform

SIZE = (1240, 1754)  # an A4 page at 150 dots per inch
_MARGIN = 90
_FONTS = ("DejaVuSerif.ttf", "DejaVuSans.ttf")
_PLACES = (
    "Skerry Harrow Velmar Ostrava Lindal Tarnby Korsund Melbeck Ulvik Brandal Hestnes Rovaniek "
    "Aldport Fenwick Garmouth Solberg Nordhav Trelland Vinstra Wexcombe"
).split()
_FIRST = "Marta Olaf Ingrid Anselm Tilda Jonas Greta Henrik Edda Ruben Signe Torsten".split()
_LAST = (
    "Lindqvist Brandt Koch Halvorsen Dahlgren Okafor Petrescu Sandoval Whitcombe Yamada Ferreira "
    "Novak Bergstrom Castellan Drummond Eriksen"
).split()
_WORKS = "lighthouse bridge observatory harbour mill library theatre hospital".split()
_TOWNS = "Uppsala Lisbon Krakow Bergen Trieste Ghent Tartu Porto Malmo Turku".split()
_GOODS = "rope tar timber salt herring glass iron wool barley candles".split()


@dataclass(frozen=True, slots=True)
class Question:
    """A question over the pages and its one answer."""

    text: str
    answer: str


@dataclass(frozen=True, slots=True)
class ScannedSheet:
    """A page as a picture.

    `text` is what a reader should make of it, in reading order, the rows of a table as rows are
    told; `questions` are answered by it.
    """

    name: str
    kind: str
    picture: Image.Image
    text: str
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class _Draft:
    """Text of a page: paragraphs, and a table whose first row names the columns."""

    title: str
    paragraphs: list[str]
    table: list[list[str]]
    questions: tuple[Question, ...]


def scanned_sheets(seed: int = 7, count: int = 40) -> Iterator[ScannedSheet]:
    """Yield the pages, each kind in turn."""
    chance = random.Random(seed)
    people = _people(chance, count)
    for number in range(count):
        kind = list(KINDS)[number % len(KINDS)]
        draft = _draft(chance, number, people[number], has_table=kind in ("table", "form"))
        picture, text = _drawn(draft, kind, number)
        spoiled = KINDS[kind](picture, random.Random(seed * 1000 + number))
        name = f"{number + 1:02d}-{kind.replace(' ', '-')}"
        yield ScannedSheet(name, kind, spoiled, text, draft.questions)


def save_sheet(sheet: ScannedSheet, folder: Path) -> Path:
    """Write a page as PNG, JPEG, PDF or TIFF, by its number, and return the path."""
    suffix = (".png", ".jpg", ".pdf", ".tif")[int(sheet.name[:2]) % 4]
    path = folder / f"{sheet.name}{suffix}"
    sheet.picture.save(path, quality=80)  # of a JPEG and of the one within a PDF
    return path


def _people(chance: random.Random, count: int) -> list[str]:
    names = [f"{first} {last}" for first in _FIRST for last in _LAST]
    return chance.sample(names, count)


def _draft(chance: random.Random, number: int, person: str, *, has_table: bool) -> _Draft:
    place = f"{_PLACES[number % len(_PLACES)]}{' East' if number >= len(_PLACES) else ''}"
    work, town = _WORKS[number % len(_WORKS)], chance.choice(_TOWNS)
    year, height = chance.randrange(1780, 1960), chance.randrange(12, 90)
    keeper = f"{chance.choice(_FIRST)} {chance.choice(_LAST)}"
    cost, ton = chance.randrange(1000, 99000), chance.sample(_GOODS, 4)
    paragraphs = [
        f"The {work} of {place} was built by {person} in {year}. It stands {height} metres above "
        f"the water and cost {cost:,} crowns, half of which the merchants of the town had lent.",
        f"{person} was born in {town}. The drawings were made in a single winter, when the roads "
        "were closed and no stone could be brought down from the quarry. They are kept in the "
        "parish chest, together with the letters of the masons and a list of all who had helped.",
        f"The keeper is {keeper}. Visitors are let in on Fridays, unless there is fog; they sign "
        "the book at the gate and leave their dogs outside. In the dry summers the well runs out, "
        "and water is carried up in barrels by two men, who are paid by the bucket.",
        f"Nothing of the older building is left but a wall with {chance.randrange(3, 30)} steps. A "
        "storm took the roof, and what the wind had left was sold as firewood. The bell was found "
        "in the bay and hangs now in the school, where it is rung at noon and at dusk.",
    ]
    questions: tuple[Question, ...] = (
        Question(f"Who built the {work} of {place}?", person),
        Question(f"In which town was the builder of the {work} of {place} born?", town),
        Question(f"Who is the keeper of the {work} of {place}?", keeper),
    )
    table: list[list[str]] = []
    if has_table:
        table = [["Cargo", "Barrels", "Crowns"]]
        table += [
            [f"{good} of {place}", f"{chance.randrange(10, 900)}", f"{chance.randrange(20, 4000)}"]
            for good in ton
        ]
        paragraphs = paragraphs[:2]
        row = table[2]
        questions = (*questions[:2], Question(f"How many barrels of {row[0]} are there?", row[1]))
    return _Draft(f"The {work} of {place}", paragraphs, table, questions)


def _drawn(draft: _Draft, kind: str, number: int) -> tuple[Image.Image, str]:
    """Return a clean picture of a page, and the text that is to be found on it."""
    picture = Image.new("RGB", SIZE, "white")
    pen = ImageDraw.Draw(picture)
    size = 20 if kind == "two columns" else 24
    font, step = _font(number, size), round(size * 1.5)
    pen.text((_MARGIN, 90), draft.title, fill="black", font=_font(number, 38))
    parts = [draft.title]
    if kind == "two columns":
        half = (len(draft.paragraphs) + 1) // 2
        width = (SIZE[0] - 3 * _MARGIN) // 2
        for at, own in enumerate((draft.paragraphs[:half], draft.paragraphs[half:])):
            _paragraphs(pen, own, (_MARGIN + at * (width + _MARGIN), 190), width, font, step)
    else:
        end = _paragraphs(pen, draft.paragraphs, (_MARGIN, 190), SIZE[0] - 2 * _MARGIN, font, step)
        _table(pen, draft.table, end + step, font, has_lines=kind == "table")
    parts += draft.paragraphs
    if draft.table:
        header = draft.table[0]
        parts += [
            "; ".join(f"{name}: {cell}" for name, cell in zip(header, row, strict=True))
            for row in draft.table[1:]
        ]
    return picture, "\n\n".join(parts)


def _paragraphs(
    pen: ImageDraw.ImageDraw,
    paragraphs: list[str],
    place: tuple[int, int],
    width: int,
    font: ImageFont.FreeTypeFont,
    step: int,
) -> int:
    """Draw paragraphs and return where they end."""
    x, y = place
    letters = max(10, int(width / (font.getlength("the quick brown fox jumps") / 25)))
    for paragraph in paragraphs:
        for line in textwrap.wrap(paragraph, letters, break_on_hyphens=False):
            pen.text((x, y), line, fill="black", font=font)
            y += step
        y += step // 2
    return y


def _table(
    pen: ImageDraw.ImageDraw,
    rows: list[list[str]],
    top: int,
    font: ImageFont.FreeTypeFont,
    *,
    has_lines: bool,
) -> None:
    left, right, step = _MARGIN, SIZE[0] - _MARGIN, 52
    columns = (left, left + 520, left + 800)
    for number, row in enumerate(rows):
        for x, cell in zip(columns, row, strict=True):
            pen.text((x + 12, top + number * step + 10), cell, fill="black", font=font)
    if has_lines and rows:
        for number in range(len(rows) + 1):
            y = top + number * step
            pen.line((left, y, right, y), fill="black", width=2)
        for x in (*columns, right):
            pen.line((x, top, x, top + len(rows) * step), fill="black", width=2)


def _font(number: int, size: int) -> ImageFont.FreeTypeFont:
    try:
        return ImageFont.truetype(_FONTS[number % len(_FONTS)], size)
    except OSError:  # the font that Pillow brings
        found = ImageFont.load_default(size)
        assert isinstance(found, ImageFont.FreeTypeFont)
        return found


def _clean(picture: Image.Image, chance: random.Random) -> Image.Image:
    return picture


def _skewed(picture: Image.Image, chance: random.Random) -> Image.Image:
    angle = chance.choice((-1, 1)) * chance.uniform(1.5, 4.0)
    return picture.rotate(angle, Resampling.BICUBIC, fillcolor="white")


def _noisy(picture: Image.Image, chance: random.Random) -> Image.Image:
    pixels = np.asarray(picture.convert("L")).astype(np.float32)
    source = np.random.default_rng(chance.randrange(1 << 30))
    grey = 255 - (255 - pixels) * 0.75 + source.normal(0, 26, pixels.shape)
    specks = source.random(pixels.shape)
    grey[specks < 0.004] = 0
    grey[specks > 0.996] = 255
    return Image.fromarray(np.clip(grey, 0, 255).astype(np.uint8)).convert("RGB")


def _coarse(picture: Image.Image, chance: random.Random) -> Image.Image:
    """Return a page as a fax machine sends it: 80 dots per inch, a JPEG of low quality."""
    small = picture.resize((SIZE[0] * 8 // 15, SIZE[1] * 8 // 15), Resampling.BILINEAR)
    stream = io.BytesIO()
    small.convert("L").save(stream, "JPEG", quality=32)
    return Image.open(io.BytesIO(stream.getvalue())).convert("RGB")


def _faint(picture: Image.Image, chance: random.Random) -> Image.Image:
    """Return a page at 50 dots per inch, where many letters look like others."""
    small = picture.resize((SIZE[0] // 3, SIZE[1] // 3), Resampling.BILINEAR)
    stream = io.BytesIO()
    small.convert("L").save(stream, "JPEG", quality=45)
    return Image.open(io.BytesIO(stream.getvalue())).convert("RGB")


def _turned(picture: Image.Image, chance: random.Random) -> Image.Image:
    return picture.rotate(chance.choice((90, 180, 270)), expand=True)


def _photo(picture: Image.Image, chance: random.Random) -> Image.Image:
    """Return a page as a camera sees it: from the side, in uneven light, slightly out of focus."""
    width, height = picture.size
    push = [chance.uniform(0.0, 0.05) for _ in range(4)]
    corners = [
        (-push[0] * width, -push[1] * height),
        (-push[2] * width, height * (1 + push[3])),
        (width * (1 + push[1]), height * (1 + push[0])),
        (width * (1 + push[3]), -push[2] * height),
    ]
    flat = [x for corner in corners for x in corner]
    seen = picture.transform(SIZE, Transform.QUAD, flat, Resampling.BICUBIC, fillcolor="white")
    light = np.linspace(1.0, 0.55, width, dtype=np.float32)[None, :, None]
    pixels = np.asarray(seen.filter(ImageFilter.GaussianBlur(0.9))).astype(np.float32) * light
    return Image.fromarray(pixels.astype(np.uint8))


KINDS: dict[str, Callable[[Image.Image, random.Random], Image.Image]] = {
    "clean": _clean,
    "skewed": _skewed,
    "noisy": _noisy,
    "coarse": _coarse,
    "two columns": _skewed,
    "table": _clean,
    "form": _skewed,
    "turned": _turned,
    "photo": _photo,
    "faint": _faint,
}
"""How a page of each kind is spoiled."""
