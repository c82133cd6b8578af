"""JSON Lines, read so that a bad line is named and the rest is used."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from hoptrail.indexing.loading.files import Skipped

Row = dict[str, Any]


def read_rows(lines: Iterable[bytes], name: str) -> Iterator[tuple[int, Row] | Skipped]:
    """Yield `(line number, object)` per line, or `Skipped` with `name:line`; blank lines pass."""
    for number, raw in enumerate(lines, 1):
        if not raw.strip():
            continue
        row = _parse(raw)
        if isinstance(row, str):
            yield Skipped(f"{name}:{number}", row)
        else:
            yield number, row


def text_field(row: Row, name: str) -> str | None:
    """Return a text or number of the row as text, None where it is missing or something else."""
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value).strip()


def _parse(raw: bytes) -> Row | str:
    try:
        value = json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return "not text in UTF-8"
    except json.JSONDecodeError as error:
        return f"malformed JSON: {error.msg} at column {error.colno}"
    except RecursionError:
        return "malformed JSON: nested too deeply"
    except ValueError:  # Python reads no number of thousands of digits
        return "malformed JSON: a number has too many digits"
    return value if isinstance(value, dict) else "not a JSON object"
