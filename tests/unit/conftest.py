"""Unit tests open no connection; the event loop's own socket pair is a Unix socket."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def no_network(socket_disabled: None) -> None:
    pass
