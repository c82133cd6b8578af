"""Numbers of a sheet as a person sees them: with their percent sign, currency or unit."""

from __future__ import annotations

import re
from functools import lru_cache

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[[^\]]*\]'
    r"|_.|\*.|(?P<digits>[#0?][#0?,.]*)|(?P<other>.)",
    re.DOTALL,
)
_NO_PLAIN_NUMBER = re.compile(r"[/eE@]")
_LONGEST_FORMAT = 255  # characters that Excel takes
_ZEROS = re.compile(r"0{2,20}")


def formatted(value: float, number_format: str) -> str:
    """Return a number with all its digits, and with the signs that its format puts around them.

    Args:
        value: The number.
        number_format: As Excel writes it, such as `0.0%` or `#,##0.00 [$€-407]`.
    """
    before, after, zeros = _around(number_format)
    if "%" in before or "%" in after:
        value = round(value * 100, 10)
    if value == int(value) and abs(value) < 1e15:
        number = f"{int(value):0{zeros}d}"
    else:
        number = f"{value:.12g}"
    if number.startswith("-") and before:
        return f"-{before}{number[1:]}{after}"
    return f"{before}{number}{after}"


@lru_cache(maxsize=1000)
def _around(number_format: str) -> tuple[str, str, int]:
    """Return what a format shows before and behind the digits, and the least number of digits."""
    parts: list[str] = ["", ""]
    digits = ""
    for match in _TOKEN.finditer(number_format[:_LONGEST_FORMAT].partition(";")[0]):
        kind = match.lastgroup
        if kind == "digits":
            if digits:
                return "", "", 1  # a fraction, or digits in groups
            digits = match["digits"]
        elif kind == "other" and _NO_PLAIN_NUMBER.match(match["other"]):
            return "", "", 1
        elif kind is not None:
            parts[bool(digits)] += match[kind]
    if not digits:
        return "", "", 1
    return parts[0].lstrip(), parts[1].rstrip(), len(digits) if _ZEROS.fullmatch(digits) else 1
