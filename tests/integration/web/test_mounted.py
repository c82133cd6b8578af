"""The web application within the LangGraph server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from hoptrail.core.settings import Settings
from hoptrail.web.new_key import make_key
from tests.servers.processes import free_port
from tests.ships import QUESTION, index_ships
from tests.waiting import wait_until_ready

pytest.importorskip("langgraph_api", reason='needs pip install "hoptrail[serve]"')
pytestmark = pytest.mark.slow

SERVER = """if True:
    import sys
    from langgraph_api.cli import run_server
    run_server("127.0.0.1", int(sys.argv[1]), graphs={"hoptrail": "hoptrail.graphs.qa:graph"},
        http={"app": "hoptrail.web.mounted:app"}, disable_persistence=True)"""


def test_both_answer_on_one_port_and_ask_for_the_same_keys(tmp_path: Path) -> None:
    index_ships(tmp_path / "ships", Settings())
    key, digest = make_key("anna")
    narrow, narrow_digest = make_key("narrow")
    settings = {
        "HOPTRAIL_KNOWLEDGE_BASES": json.dumps({"ships": str(tmp_path / "ships")}),
        "HOPTRAIL_KEYS": json.dumps(
            {"anna": {"sha256": digest}, "narrow": {"sha256": narrow_digest, "presets": ["auto"]}}
        ),
        "LANGGRAPH_NO_VERSION_CHECK": "true",
        "LANGSMITH_TRACING": "false",
    }
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(port)],
        cwd=tmp_path,
        env={**os.environ, **settings},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    given = {"Authorization": f"Bearer {key}"}
    try:
        wait_until_ready(f"{url}/ready", process)

        asked = {"question": QUESTION, "thread": "new"}
        answer = httpx.post(f"{url}/api/v1/ask", json=asked, headers=given, timeout=60).json()
        assert answer["answer"] == "Edda Thorn"
        turns = httpx.get(f"{url}/api/v1/threads/{answer['thread']}", headers=given).json()["turns"]
        assert len(turns) == 1
        assert httpx.get(f"{url}/").headers["content-type"].startswith("text/html")

        threads = f"{url}/threads"
        assert httpx.post(threads, json={}).status_code == 401
        assert httpx.post(threads, json={}, headers=given).status_code == 200
        restricted = {"Authorization": f"Bearer {narrow}"}
        assert httpx.post(threads, json={}, headers=restricted).status_code == 403
    finally:
        process.terminate()
        process.wait()
