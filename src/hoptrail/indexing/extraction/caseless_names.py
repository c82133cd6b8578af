"""Names in scripts without capitals, where a text marks them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hoptrail.core.language.scripts import ARABIC

_LONGEST = 40  # characters
_TITLE = re.compile(
    rf"《(?P<book>[^《》\n]{{1,{_LONGEST}}})》|『(?P<work>[^『』\n]{{1,{_LONGEST}}})』"
    rf"|«(?P<arabic>[{ARABIC}][{ARABIC} ]{{1,{_LONGEST}}})»"
)


def marked_titles(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where titles of works stand between the marks that Chinese, Japanese and Arabic have.

    Other names of these scripts are not told from common words by rules: no guess is made.

    Args:
        text: A passage.
        start: Where its sentence begins.
        end: Where it ends.
    """
    if text.isascii():
        return
    for match in _TITLE.finditer(text, start, end):
        yield match.span(match.lastgroup or 0)
