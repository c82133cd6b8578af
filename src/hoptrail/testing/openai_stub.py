"""Runs the OpenAI stub for other processes: `python -m hoptrail.testing.openai_stub --port N`."""

from __future__ import annotations

import argparse
import json
import re
import threading
from pathlib import Path
from typing import Any

from hoptrail.testing.faults import fault_from_json
from hoptrail.testing.stub_server import JsonDict, OpenAIStubServer, Reply, Script, prompt_text


def script_from_json(data: Any) -> Script:
    """Return the script that a JSON value describes.

    A list is used in order. An object `{"rules": [{"when": REGEX, "reply": ...}], "default": ...}`
    picks by the prompt. A reply is a text, an object, or `{"fault": NAME, ...}`.
    """
    if isinstance(data, dict) and "rules" in data:
        rules = [(re.compile(rule["when"]), rule["reply"]) for rule in data["rules"]]

        def by_rule(body: JsonDict) -> Reply:
            text = prompt_text(body)
            found = (reply for pattern, reply in rules if pattern.search(text))
            return _reply_from_json(next(found, data.get("default", "I don't know")))

        return by_rule
    if isinstance(data, list):
        return [_reply_from_json(item) for item in data]
    return _reply_from_json(data)


def _reply_from_json(data: Any) -> Reply:
    if isinstance(data, dict) and "fault" in data:
        options = {key: value for key, value in data.items() if key != "fault"}
        return fault_from_json(data["fault"], options)
    reply: Reply = data
    return reply


def main() -> None:
    """Serve until interrupted: `python -m hoptrail.testing.openai_stub --port N`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path, help="JSON file; see script_from_json")
    arguments = parser.parse_args()
    data = json.loads(arguments.script.read_text()) if arguments.script else "I don't know"
    with OpenAIStubServer(script_from_json(data), port=arguments.port) as server:
        print(server.url, flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
