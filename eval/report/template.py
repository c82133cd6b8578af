"""The templates of a page; every text that is not markup made by one of them is escaped."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from hoptrail.eval.report.labels import (
    description,
    figure,
    figure_with_interval,
    interval,
    label,
    p_value,
    signed,
)

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_RUN_COLOURS = 8


def render_template(template: str, **values: object) -> Markup:
    """Return a template's markup.

    Args:
        template: Name of a file in `templates`.
        values: What the template names; texts among them are escaped.
    """
    from markupsafe import Markup

    return Markup(_environment().get_template(template).render(**values))


def style_sheet() -> str:
    """Return the style sheet of the page."""
    return _environment().get_template("style.css").render()


def run_colour(place: int) -> str:
    """Return the style class of a run's colour."""
    return f"run-{place % _RUN_COLOURS}"


def percent(value: float) -> str:
    """Return a position or a length in per cent, as SVG takes it."""
    return f"{value:.2f}%"


def shortened(text: str, room: int) -> str:
    """Return the beginning of a text that is longer than so many characters."""
    return text if len(text) <= room else f"{text[:room].rstrip()} …"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("hoptrail.eval.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (
        description,
        figure,
        figure_with_interval,
        interval,
        label,
        p_value,
        percent,
        run_colour,
        shortened,
        signed,
    )
    environment.filters.update({function.__name__: function for function in filters})
    return environment
