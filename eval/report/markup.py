"""HTML and SVG as values: text is escaped unless it was made here."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_VOID = frozenset({"meta", "input", "rect", "line", "circle"})


class Html(str):
    """Markup that needs no escaping."""

    __slots__ = ()


Child = str | Iterable[str] | None
Attribute = str | float | bool | None


def tag(name: str, /, *children: Child, **attributes: Attribute) -> Html:
    """Return an element; text among its children is escaped.

    Args:
        name: Name of the element.
        children: Texts and elements, alone or in iterables; None is left out.
        attributes: An underscore in a name stands for `-`, one at its end is dropped (`class_`);
            True gives an attribute without value, None and False leave it out.
    """
    opening = name + "".join(_attribute(*item) for item in attributes.items())
    if name in _VOID:
        return Html(f"<{opening}/>")
    return Html(f"<{opening}>{join(*children)}</{name}>")


def join(*children: Child) -> Html:
    """Return the children one after the other, texts among them escaped."""
    return Html("".join(_parts(children)))


def _parts(children: Iterable[Child]) -> Iterable[str]:
    for child in children:
        if child is None:
            continue
        if isinstance(child, str):
            yield child if isinstance(child, Html) else escape(child)
        else:
            yield from _parts(child)


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
