"""All filter expressions: the only place where values are written into what Milvus parses.

Servers from 2.5 on take values beside the expression (`filter_params`), older ones and Milvus Lite
do not; so values are quoted here, as both read them.
"""

from __future__ import annotations

from collections.abc import Iterable

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def literal(value: str) -> str:
    """Return a text as a string literal; what UTF-8 cannot hold is replaced, as in every row."""
    return f'"{storable(value).translate(_ESCAPES)}"'


def storable(text: str) -> str:
    """Return a text as rows and filters hold it: without NUL and lone surrogates."""
    return text.encode(errors="replace").decode().replace("\x00", "\ufffd")


def is_one_of(field: str, values: Iterable[str]) -> str:
    """Return the condition that a field has one of these values."""
    return f"{field} in [{', '.join(map(literal, values))}]"


def of_base(kb: str) -> str:
    """Return the condition for all rows of a base, whatever their edition."""
    return f"kb == {literal(kb)}"


def shown_in(kb: str, edition: int, floor: int) -> str:
    """Return the condition for the rows of a base that an edition shows."""
    return both(of_base(kb), f"born >= {floor} and born <= {edition} and died > {edition}")


def staged_after(kb: str, edition: int) -> str:
    """Return the condition for rows of a base that a publisher wrote and never showed."""
    return both(of_base(kb), f"born > {edition}")


def ended_with(kb: str, edition: int) -> str:
    """Return the condition for rows that an edition is the first not to show."""
    return both(of_base(kb), f"died == {edition}")


def outlived(kb: str, edition: int, floor: int) -> str:
    """Return the condition for rows that no edition from this one on shows."""
    return both(of_base(kb), f"(died <= {edition} or born < {floor})")


def both(one: str, other: str) -> str:
    """Return the condition that two hold."""
    return f"{one} and {other}"
