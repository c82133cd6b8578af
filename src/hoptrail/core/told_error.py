"""An error of another process, as it is sent and stored."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.core.errors import CostLimitError, HoptrailError, ModelUnavailableError
from hoptrail.core.types import Record

_KINDS = (CostLimitError, ModelUnavailableError)  # those that callers tell apart


@dataclass(frozen=True, slots=True)
class ToldError(Record):
    """The code, message and hint of an error."""

    code: str
    message: str
    hint: str

    @classmethod
    def of(cls, error: HoptrailError) -> ToldError:
        """Return this of an error."""
        return cls(error.code, error.message, error.hint)

    def error(self, where: str = "") -> HoptrailError:
        """Return the error again; `where` is put before its message."""
        kind = next((one for one in _KINDS if one.code == self.code), HoptrailError)
        error = kind(f"{where}{self.message}", hint=self.hint)
        error.code = self.code
        return error
