"""The questions to a reader and its answers: JSON on standard input and output."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Request:
    """Where a base was published, and questions with their vectors."""

    uri: str
    user: str
    password: str
    space: str
    vectors: dict[str, list[float]]


def answer(work: Callable[[Request], dict[str, list[str]]]) -> None:
    """Read a request and write the titles or names that were found for each question."""
    json.dump(work(Request(**json.load(sys.stdin))), sys.stdout)
