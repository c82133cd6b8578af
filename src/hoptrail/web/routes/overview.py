"""The overview, `GET /api/v1`, and what the page has drawn: trails and formulas."""

from __future__ import annotations

import asyncio
import re
from typing import Any
from xml.etree import ElementTree

from fastapi import APIRouter, Request
from fastapi.responses import Response
from pydantic import Field

from hoptrail import __version__
from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict, Trail
from hoptrail.graphs.presets import PRESETS
from hoptrail.web.keys import NOBODY
from hoptrail.web.routes import Body, sent
from hoptrail.web.services import access_of, services_of

router = APIRouter(tags=["overview"])

_MOST_HOPS = 100
_MOST_FORMULAS = 100
_LONGEST_FORMULA = 2000
_MATHML = "http://www.w3.org/1998/Math/MathML"
_ELEMENTS = frozenset(
    """math mrow mi mn mo mtext ms mspace msup msub msubsup munder mover munderover mfrac msqrt
    mroot mtable mtr mtd mpadded mphantom mstyle menclose mmultiscripts mprescripts none""".split()
)
"""Elements of MathML that draw; none of them holds HTML, loads or runs anything."""
_ATTRIBUTES = frozenset(
    """display mathvariant stretchy fence form separator lspace rspace minsize maxsize accent
    accentunder linethickness columnalign columnspacing rowspacing columnlines rowlines width
    height depth mathcolor displaystyle scriptlevel notation symmetric largeop
    movablelimits""".split()
)
_LENGTHS = frozenset("width height depth lspace rspace minsize maxsize linethickness".split())
_SHORT = re.compile(
    r"-?\.\d{1,6}(?:em|ex)?|\d(?:\.\d{1,6})?(?:em|ex)?|\d{1,2}(?:\.\d{1,6})?(?:px|pt|mu)"
    r"|[a-z]{4,20}mathspace"
)
"""Lengths of some letters: a longer one would draw over the page around the formula."""


class Drawing(Body):
    """A trail to be drawn."""

    trail: list[dict[str, Any]] = Field(max_length=_MOST_HOPS, description="Hops of an answer.")
    answers: list[str] = Field(default_factory=list, max_length=_MOST_HOPS)
    width: int = Field(720, ge=200, le=4000, description="Pixels.")
    language: str = Field("en", max_length=16, description="Of its own words, such as de.")


class Formula(Body):
    """A formula in LaTeX, without the signs around it."""

    latex: str = Field(max_length=_LONGEST_FORMULA)
    is_block: bool = Field(False, description="Whether it stands on lines of its own.")


class Formulas(Body):
    """Formulas to be drawn."""

    formulas: list[Formula] = Field(max_length=_MOST_FORMULAS)


@router.get("/", include_in_schema=False)
@router.get("")
async def overview(request: Request) -> JsonDict:
    """Return the bases and presets of who asks, and how askers are known."""
    services, access = services_of(request), access_of(request)
    bases = services.bases
    writable = services.may_write(access) and access.filter is None
    names, presets = bases.names(access), bases.presets(access)
    return {
        "version": __version__,
        "auth": services.login,
        "name": access.shown_name if services.keys.is_required and access is not NOBODY else None,
        "has_access": access is not NOBODY,
        "model": None if access is NOBODY else bases.model,
        "model_check": None if access is NOBODY else await asyncio.to_thread(bases.model_check),
        "default_base": names[0] if names else None,
        "default_preset": bases.find_preset(None, access) if presets else None,
        "reviews": services.may_review(access),
        "largest_upload": services.options.upload_bytes,
        "bases": await asyncio.to_thread(bases.describe, access, writable=writable),
        "presets": [_preset(name, recommended=name == bases.default_preset) for name in presets],
    }


@router.post("/drawing", response_class=Response, responses=sent("The drawing.", "image/svg+xml"))
async def drawing(request: Request, body: Drawing) -> Response:
    """Draw a trail as SVG, without a style sheet."""
    try:
        trail = Trail.from_json({"hops": body.trail})
        svg = await asyncio.to_thread(
            trail.to_svg,
            width=body.width,
            answers=tuple(body.answers),
            stylesheet=False,
            language=body.language,
        )
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise InputError(
            f"the trail cannot be drawn: {error}", hint="send it as an answer has it"
        ) from error
    return Response(svg.encode("utf-8", "replace"), media_type="image/svg+xml")


@router.post("/formulas")
async def formulas(body: Formulas) -> JsonDict:
    """Return formulas in LaTeX as MathML, null for each that cannot be read."""
    return {"formulas": await asyncio.to_thread(lambda: [*map(_mathml, body.formulas)])}


def _mathml(formula: Formula) -> str | None:
    """Return a formula as MathML of known elements and attributes, and short lengths, alone.

    The converter lets markup in a text and links through: what it makes is read again.
    """
    from latex2mathml.converter import convert

    try:
        tree = ElementTree.fromstring(
            convert(formula.latex, display="block" if formula.is_block else "inline")
        )
    except Exception:  # whatever a converter does with words that are no formula
        return None
    for element in tree.iter():
        namespace, _, name = element.tag[1:].partition("}")
        if namespace != _MATHML or name not in _ELEMENTS:
            return None
        for attribute, value in [*element.attrib.items()]:
            is_long = attribute in _LENGTHS and _SHORT.fullmatch(value) is None
            if is_long or attribute not in _ATTRIBUTES:
                del element.attrib[attribute]
    tree.set("alttext", formula.latex)
    ElementTree.register_namespace("", _MATHML)
    return ElementTree.tostring(tree, encoding="unicode")


def _preset(name: str, *, recommended: bool) -> JsonDict:
    preset = PRESETS[name]
    calls = preset.mean_calls
    return {
        "name": name,
        "does": preset.does,
        "choose_for": preset.choose_for,
        "needs_model": preset.needs_model,
        "model_calls": {"lowest": calls[0], "highest": calls[1]} if calls else None,
        "recommended": recommended,
    }
