"""Filters of documents by their fields: the model, its JSON form, and which documents it allows."""

from __future__ import annotations

import hashlib
import json
import re
from calendar import monthrange
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from hoptrail.core.errors import SettingsError, UnknownNameError
from hoptrail.core.types import Document, JsonDict

Scalar = str | int | float | bool

_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?(?:[T ]\d{2}:\d{2}.{0,30})?", re.DOTALL)
_MOST_PARTS = 10_000  # values and objects
_DEEPEST = 40  # levels of JSON
_SHOWN = 5  # values of a field
_OWN_FIELDS = ("doc_id", "source", "title", "uri")

_FORM = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, allow_inf_nan=False)


def listed(value: str) -> list[str]:
    """Return the values of a field: a list is stored as JSON."""
    if not value.startswith("["):
        return [value]
    try:
        items = json.loads(value)
    except (ValueError, RecursionError):
        return [value]
    return [item if isinstance(item, str) else json.dumps(item) for item in items]


def is_equal(value: str, wanted: Scalar) -> bool:
    """Return whether a stored value is the wanted one."""
    if isinstance(wanted, bool):
        return value.lower() == str(wanted).lower()
    if isinstance(wanted, str) and value == wanted:
        return True
    number, own = as_number(wanted), as_number(value)
    if number is not None and own is not None:
        return own == number
    day, moment = as_date(wanted), as_date(value)
    if day is None or moment is None:
        return False
    return day[0] <= moment[0] and moment[1] <= day[1]


def as_number(value: Scalar) -> float | None:
    """Return the number that a value is or spells, None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    text = value.strip()
    if not text.lstrip("+-")[:1].isdecimal() or not text.isascii():
        return None  # no "nan", no "inf"
    try:
        return float(text)
    except (ValueError, OverflowError):
        return None


def as_date(value: Scalar) -> tuple[str, str] | None:
    """Return the first and last moment of the date that a text spells by ISO 8601, in UTC.

    A year, a month or a day is as long as it lasts. Moments are texts that sort by time.
    """
    text = str(value).strip()
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    year, month = int(match[1]), int(match[2] or 1)
    try:
        if match[2] is None:
            return _moment(year, 1, 1), _moment(year, 12, 31, end=True)
        if match[3] is None:
            last = monthrange(year, month)[1]
            return _moment(year, month, 1), _moment(year, month, last, end=True)
        if len(text) == len("2024-01-31"):
            day = int(match[3])
            return _moment(year, month, day), _moment(year, month, day, end=True)
        found = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return None
    moment = _text(found.astimezone(UTC).replace(tzinfo=None) if found.tzinfo else found)
    return moment, moment


def _moment(year: int, month: int, day: int, *, end: bool = False) -> str:
    hour, minute, second, fraction = (23, 59, 59, 999999) if end else (0, 0, 0, 0)
    return _text(datetime(year, month, day, hour, minute, second, fraction))


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")


class DocumentFilter(BaseModel):
    """A condition on one field, or several filters joined by exactly one of `and`, `or`, `not`.

    A field's condition holds where all its comparisons do: `eq`, `in`, `gt`, `gte`, `lt`, `lte`
    and `like` (`*` stands for any characters, `?` for one). A document without the field meets
    none. Of a field with several values one that meets them is enough. Numbers and dates (ISO
    8601) are compared by value, all else letter for letter.
    """

    model_config = _FORM

    all_of: tuple[DocumentFilter, ...] | None = Field(None, alias="and", min_length=1)
    any_of: tuple[DocumentFilter, ...] | None = Field(None, alias="or", min_length=1)
    none_of: DocumentFilter | None = Field(None, alias="not")
    field: str | None = Field(None, min_length=1)
    eq: Scalar | None = None
    one_of: tuple[Scalar, ...] | None = Field(None, alias="in", min_length=1)
    gt: Scalar | None = None
    gte: Scalar | None = None
    lt: Scalar | None = None
    lte: Scalar | None = None
    like: str | None = None

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        comparisons = (self.eq, self.one_of, self.gt, self.gte, self.lt, self.lte, self.like)
        compares = any(comparison is not None for comparison in comparisons)
        joins = (self.all_of, self.any_of, self.none_of)
        if sum(part is not None for part in (*joins, self.field)) != 1:
            raise ValueError('give exactly one of "field", "and", "or" and "not"')
        if (self.field is not None) != compares:
            raise ValueError('"field" goes with one of eq, in, gt, gte, lt, lte and like')
        for limit in (self.gt, self.gte, self.lt, self.lte):
            if limit is not None and as_number(limit) is None and as_date(limit) is None:
                raise ValueError(f"{limit!r} is neither a number nor a date such as 2024-01-31")
        return self

    def to_json(self) -> JsonDict:
        """Return the JSON form, without what is not given."""
        dumped: JsonDict = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        return dumped

    @property
    def digest(self) -> str:
        """Hash of the JSON form: filters of the same form are the same."""
        form = json.dumps(self.to_json(), sort_keys=True)
        return hashlib.sha256(form.encode()).hexdigest()[:24]

    def fields(self) -> set[str]:
        """Return the names of the fields that it asks for."""
        if self.field is not None:
            return {self.field}
        return {name for part in self._parts() for name in part.fields()}

    def allows(self, fields: Mapping[str, str]) -> bool:
        """Return whether a document with these fields, of `document_fields`, is allowed."""
        if self.all_of is not None:
            return all(part.allows(fields) for part in self.all_of)
        if self.any_of is not None:
            return any(part.allows(fields) for part in self.any_of)
        if self.none_of is not None:
            return not self.none_of.allows(fields)
        value = fields.get(self.field or "")
        return value is not None and any(self._meets(one) for one in listed(value))

    def _parts(self) -> tuple[DocumentFilter, ...]:
        none_of = () if self.none_of is None else (self.none_of,)
        return (*(self.all_of or ()), *(self.any_of or ()), *none_of)

    def _meets(self, value: str) -> bool:
        if self.eq is not None and not is_equal(value, self.eq):
            return False
        if self.one_of is not None and not any(is_equal(value, one) for one in self.one_of):
            return False
        if self.like is not None and not fnmatchcase(value, self.like):
            return False
        return self._is_in_range(value)

    def _is_in_range(self, value: str) -> bool:
        for name, limit in (("gt", self.gt), ("gte", self.gte), ("lt", self.lt), ("lte", self.lte)):
            if limit is None:
                continue
            order = _order(value, limit)
            if order is None or not _ALLOWED[name](order):
                return False
        return True


_ALLOWED: dict[str, Callable[[int], bool]] = {
    "gt": lambda order: order > 0,
    "gte": lambda order: order >= 0,
    "lt": lambda order: order < 0,
    "lte": lambda order: order <= 0,
}


def _order(value: str, limit: Scalar) -> int | None:
    """Return whether a value comes after (1), at (0) or before (-1) a limit, if it does at all."""
    number, own = as_number(limit), as_number(value)
    if number is not None and own is not None:
        return (own > number) - (own < number)
    end, date = as_date(limit), as_date(value)
    if end is None or date is None:
        return None
    # A limit is as long as its day, month or year: "lte 2024-01" holds to the end of January.
    return -1 if date[1] < end[0] else 1 if date[0] > end[1] else 0


_HINT = (
    'for example {"and": [{"field": "author", "in": ["A", "B"]}, '
    '{"not": {"field": "date", "lt": "2024-01-01"}}]}'
)


def filter_from_json(given: Any, *, typed_hint: str | None = None) -> DocumentFilter:
    """Return the filter of a JSON object.

    Args:
        given: The object.
        typed_hint: An example for who typed a text that was read as this object, and has not seen
            it; None where the object itself was given.

    Raises:
        SettingsError: If it has another form.
    """
    _check_size(given)
    try:
        return DocumentFilter.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        place = "" if typed_hint else ".".join(map(str, first["loc"])) or "filter"
        reason = first["msg"].removeprefix("Value error, ")
        raise SettingsError(
            f"the filter cannot be used: {place}{': ' if place else ''}{reason}",
            hint=typed_hint or _HINT,
        ) from error


def _check_size(given: Any) -> None:
    """Refuse a filter that a person would not write: a request must not take a server's time."""
    level, parts = [given], 0
    for _ in range(_DEEPEST):
        parts += len(level)
        if parts > _MOST_PARTS:
            break
        following: list[Any] = []
        for part in level:
            if isinstance(part, Mapping):
                following += part.values()
            elif isinstance(part, list | tuple):
                following += part
        level = following
        if not level:
            return
    raise SettingsError("the filter is too large", hint="name fewer values, or nest less deeply")


def document_fields(document: Document) -> dict[str, str]:
    """Return what a filter sees of a document: `doc_id`, `source`, `title`, `uri` and its metadata.

    Metadata of one of these names is `metadata.<name>`.
    """
    own = (document.id, document.source, document.title, document.uri or "")
    named = {name: value for name, value in zip(_OWN_FIELDS, own, strict=True) if value}
    given = document.metadata.items()
    return {**{f"metadata.{n}" if n in _OWN_FIELDS else n: value for n, value in given}, **named}


def describe_fields(fields: Iterable[Mapping[str, str]]) -> dict[str, JsonDict]:
    """Return by name of a field how many `documents` have it, and its commonest `values`."""
    counts: dict[str, Counter[str]] = {}
    documents: Counter[str] = Counter()
    for one in fields:
        documents.update(one.keys())
        for name, value in one.items():
            counts.setdefault(name, Counter()).update(listed(value))
    return {
        name: {
            "documents": documents[name],
            "values": [
                value for value, _ in sorted(counts[name].items(), key=_most_first)[:_SHOWN]
            ],
        }
        for name in sorted(counts)
    }


def _most_first(counted: tuple[str, int]) -> tuple[int, str]:
    return -counted[1], counted[0]


def check_fields(wanted: DocumentFilter, known: Iterable[str]) -> None:
    """Refuse a filter by a field that no document has.

    Raises:
        UnknownNameError: If there is one; names the fields there are.
    """
    names = set(known)
    for name in sorted(wanted.fields() - names):
        raise UnknownNameError("field", name, names)
