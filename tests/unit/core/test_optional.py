from __future__ import annotations

import pytest

from hoptrail.core.errors import MissingExtraError
from hoptrail.core.optional import require


def test_an_installed_module_is_returned() -> None:
    assert require("json", extra="serve", purpose="a test").dumps([]) == "[]"


def test_a_missing_package_names_the_extra_to_install() -> None:
    with pytest.raises(MissingExtraError) as caught:
        require("no_such_package.part", extra="neo4j", purpose="the Neo4j store")
    assert caught.value.hint == 'pip install "hoptrail[neo4j]"'
    assert "the Neo4j store" in caught.value.message
