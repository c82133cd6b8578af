"""Formulas of answers, as the page has them drawn."""

from __future__ import annotations

import asyncio

import pytest

from hoptrail.web.routes.overview import Formula, Formulas, formulas


def drawn(*latex: str, is_block: bool = False) -> list[str | None]:
    body = Formulas(formulas=[Formula(latex=one, is_block=is_block) for one in latex])
    told: list[str | None] = asyncio.run(formulas(body))["formulas"]
    return told


def test_latex_becomes_mathml_with_its_source_for_who_does_not_see_it() -> None:
    [told] = drawn(r"E = mc^2")

    assert told is not None
    assert told.startswith('<math xmlns="http://www.w3.org/1998/Math/MathML"')
    assert "<msup><mi>c</mi><mn>2</mn></msup>" in told
    assert 'alttext="E = mc^2"' in told
    assert 'display="block"' in (drawn("x", is_block=True)[0] or "")


@pytest.mark.parametrize(
    "latex",
    [
        r"\text{<script>alert(1)</script>}",
        r"\text{<b>x</b>}",
        r"\left( x",
        "{" * 900,
        r"\text{&x;}",
    ],
)
def test_what_is_no_formula_or_holds_markup_is_left_as_it_is(latex: str) -> None:
    assert drawn(latex) == [None]


@pytest.mark.parametrize("latex", [r"\href{javascript:alert(1)}{x}", r"\style{color: red}{x}"])
def test_nothing_that_leads_elsewhere_or_has_a_style_is_kept(latex: str) -> None:
    [told] = drawn(latex)

    assert told is not None
    drawing = told.replace(latex, "")  # its source stands in alttext
    assert [bad for bad in ("href", "style=", "script") if bad in drawing] == []


@pytest.mark.parametrize(
    ("latex", "kept"),
    [
        (r"a \above 2pt b", 'linethickness="2pt"'),
        (r"a\,b", 'width="0.167em"'),
        (r"a\!b", 'width="negativethinmathspace"'),
        (r"\big( x \big)", 'minsize="1.2em"'),
        (r"a \above 900em b", None),
        (r"\rule{90em}{900em}", None),
        (r"\hspace{-60em}x", None),
    ],
)
def test_lengths_are_kept_where_they_are_short(latex: str, kept: str | None) -> None:
    [told] = drawn(latex)

    assert told is not None
    drawing = told.replace(f'alttext="{latex}"', "")
    assert kept in drawing if kept else "em" not in drawing
