from __future__ import annotations

import pytest

from hoptrail.core.errors import HoptrailError, InputError, ModelKeyError, SettingsError
from hoptrail.web.errors import status_of


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ModelKeyError("openai refuses the key"), 503),  # the server's, which no client can mend
        (SettingsError("unknown preset"), 422),
        (InputError("no question"), 422),
    ],
)
def test_a_status_says_who_can_mend_it(error: HoptrailError, status: int) -> None:
    assert status_of(error) == status
