"""The JSON round trip that every value shares."""

from __future__ import annotations

from typing import Any, Self

from pydantic import TypeAdapter, ValidationError

from hoptrail.core.errors import InputError

JsonDict = dict[str, Any]


_adapters: dict[type[Any], TypeAdapter[Any]] = {}


def _adapter(cls: type[Any]) -> TypeAdapter[Any]:
    if cls not in _adapters:
        _adapters[cls] = TypeAdapter(cls)
    return _adapters[cls]


class Record:
    """Base of the frozen dataclasses: plain-JSON dictionaries in and out."""

    __slots__ = ()

    def to_json(self) -> JsonDict:
        """Return the value as a dictionary of JSON types."""
        dumped: JsonDict = _adapter(type(self)).dump_python(self, mode="json")
        return dumped

    @classmethod
    def from_json(cls, data: JsonDict) -> Self:
        """Build the value from `to_json` output.

        Raises:
            InputError: If a field is missing or has the wrong type.
        """
        try:
            value: Self = _adapter(cls).validate_python(data)
        except ValidationError as error:
            raise InputError(f"not a valid {cls.__name__}: {error.errors()[0]['msg']}") from error
        return value
