"""Which warnings fail a test: pytest's settings are in force here, so each is simply raised."""

from __future__ import annotations

import warnings

import pytest

LIBRARY = "import warnings\ndef old(): warnings.warn('old', DeprecationWarning, stacklevel=2)"
OWN_WARNING = "import warnings\nwarnings.warn('doubtful')"


def run_as(module: str, code: str, **names: object) -> None:
    exec(compile(code, f"{module}.py", "exec"), {"__name__": module, **names})


@pytest.mark.parametrize("module", ["hoptrail", "hoptrail.core.text", "tests.unit.test_any"])
def test_a_warning_from_our_own_code_is_an_error(module: str) -> None:
    with pytest.raises(UserWarning, match="doubtful"):
        run_as(module, OWN_WARNING)


def test_a_library_that_deprecates_our_call_is_an_error() -> None:
    library: dict[str, object] = {"__name__": "library"}
    exec(compile(LIBRARY, "library.py", "exec"), library)
    with pytest.raises(DeprecationWarning, match="old"):
        run_as("hoptrail.core.text", "old()", old=library["old"])


@pytest.mark.parametrize("module", ["torch_geometric", "hoptrail_neighbour", "library.tests"])
def test_a_warning_from_a_library_is_none(module: str) -> None:
    with warnings.catch_warnings(record=True) as seen:
        run_as(module, OWN_WARNING)
    assert [str(warning.message) for warning in seen] == ["doubtful"]
