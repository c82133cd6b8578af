from __future__ import annotations

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.stores.registry import open_store


def test_an_address_that_no_store_opens_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"gopher://host.*known: "):
        open_store("gopher://host", "articles")


def test_a_password_in_an_address_is_refused_and_not_shown() -> None:
    with pytest.raises(SettingsError, match="environment") as refused:
        open_store("gopher://reader:hunter2@host", "articles")
    assert "hunter2" not in str(refused.value)
