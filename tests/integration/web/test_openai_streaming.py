"""Streamed answers of the OpenAI protocol, with the official client and a model behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openai
import pytest

from hoptrail.testing import OpenAIStubServer
from hoptrail.testing.faults import Fault
from tests.ships import QUESTION, hashing_settings
from tests.web_server import web_server

pytestmark = pytest.mark.slow


def test_an_answer_that_is_rejected_reaches_no_client(ships: Path, tmp_path: Path) -> None:
    with OpenAIStubServer(Fault(text="FINAL ANSWER: Margaret Thatcher")) as stub:
        settings = hashing_settings(model="openai:stub", base_url=stub.url)
        with web_server(tmp_path, {"ships": ships}, settings=settings) as server:
            address = f"{server.url}/v1"
            with openai.OpenAI(base_url=address, api_key="none", max_retries=0) as client:
                given: dict[str, Any] = {
                    "model": "ships/vector",
                    "messages": [{"role": "user", "content": QUESTION}],
                }
                whole = client.chat.completions.create(**given)
                chunks = list(client.chat.completions.create(**given, stream=True))

    text = "".join(one.choices[0].delta.content or "" for one in chunks if one.choices)
    assert text == whole.choices[0].message.content
    assert text.startswith("I don't know")
    assert "Thatcher" not in text
