from __future__ import annotations

import pytest

from hoptrail.agents.language.identifiers import identifiers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What is path.sep on POSIX?", ["path.sep"]),
        ("What is os.EOL?", ["os.EOL"]),
        ("Does fs.promises.rm() remove it?", ["fs.promises.rm"]),
        ("What is the default keepAliveTimeout?", ["keepAliveTimeout"]),
        ("What is the order_id of the kettle?", ["order_id"]),
        ("What does --inspect do?", ["--inspect"]),
        ("Who is Ann McLeod of St.Ives, e.g. at ann.lee@mill.org?", []),
        ("Does Dr. Lee own an iPhone?", []),
    ],
)
def test_an_identifier_is_told_by_its_signs(text: str, found: list[str]) -> None:
    assert identifiers(text) == found
