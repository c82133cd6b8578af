"""`s3://` from the command line, with s3fs, against moto's server of S3 on loopback."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands import Command, run
from tests.waiting import PATIENCE, wait_for

pytestmark = pytest.mark.slow

BUCKET = "harbour-papers"


@pytest.fixture(scope="module")
def bucket() -> Iterator[Any]:
    """The client of a bucket with two documents and a file of another prefix."""
    pytest.importorskip("s3fs", reason="the extra test is not installed")
    boto3 = pytest.importorskip("boto3", reason="the extra test is not installed")
    servers = pytest.importorskip("moto.server", reason="the extra test is not installed")
    server = servers.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    variables = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        client = boto3.client("s3")
        client.create_bucket(Bucket=BUCKET)
        yield client
    server.stop()


def put(bucket: Any, name: str, text: str) -> None:
    bucket.put_object(Bucket=BUCKET, Key=name, Body=text.encode())


def told(*arguments: str) -> dict[str, Any]:
    done = run(*arguments, "--extractor", "nlp", "--json")
    assert done.code == 0, done.err
    report: dict[str, Any] = json.loads(done.out)
    return report


def test_a_prefix_is_indexed_then_kept_in_step_with(
    bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    address = f"s3://{BUCKET}/docs"
    put(bucket, "docs/yard.md", "# Alder Yard\n\nThe Alder Yard was founded by Edda Thorn.")
    put(
        bucket,
        "docs/ships/tern.md",
        "# Morning Tern\n\nThe Morning Tern was built at the Alder Yard.",
    )
    put(bucket, "drafts/other.md", "# Other\n\nNothing of this is to be read.")

    assert told("index", address, "--kb", "kb")["documents"]["added"] == 2
    answer = run("ask", "Who founded the yard that built the Morning Tern?", "--kb", "kb", "--json")
    assert json.loads(answer.out)["answer"] == "Edda Thorn"
    again = told("sync", address, "--kb", "kb")["documents"]
    assert (again["unchanged"], again["added"], again["deleted"]) == (2, 0, 0)

    put(bucket, "docs/yard.md", "# Alder Yard\n\nThe Alder Yard was founded by Ida Holm.")
    put(bucket, "docs/pier.md", "# Pier\n\nThe pier stands in Varde.")
    bucket.delete_object(Bucket=BUCKET, Key="docs/ships/tern.md")
    changed = told("sync", address, "--kb", "kb")["documents"]
    assert (changed["added"], changed["replaced"], changed["deleted"]) == (1, 1, 1)
    listed = json.loads(run("info", "--kb", "kb", "--documents", "--json").out)
    assert sorted(one["doc_id"].rpartition("docs/")[2] for one in listed["documents"]) == [
        "pier.md",
        "yard.md",
    ]

    bucket.delete_object(Bucket=BUCKET, Key="docs/pier.md")
    bucket.delete_object(Bucket=BUCKET, Key="docs/yard.md")


def test_a_bucket_that_is_not_there_deletes_nothing(
    bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(bucket, "kept/yard.md", "# Alder Yard\n\nThe Alder Yard was founded by Edda Thorn.")
    told("index", f"s3://{BUCKET}/kept", "--kb", "kb")

    failed = run("sync", "s3://no-such-bucket/kept", "--kb", "kb", "--json")

    assert "no-such-bucket" in failed.out + failed.err
    assert "Traceback" not in failed.err
    assert json.loads(run("info", "--kb", "kb", "--json").out)["counts"]["documents"] == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals to stop it by")
def test_a_prefix_is_watched_until_ctrl_c(
    bucket: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    put(bucket, "watched/yard.md", "# Alder Yard\n\nThe Alder Yard was founded by Edda Thorn.")
    rounds, notes = tmp_path / "rounds", tmp_path / "notes"
    arguments = ("--kb", "kb", "--watch", "--interval", "1", "--extractor", "nlp", "--json")

    def outcomes() -> list[tuple[int, ...]]:
        told = [json.loads(line)["documents"] for line in rounds.read_text().splitlines()]
        kinds = ("added", "replaced", "deleted", "unchanged")
        return [tuple(one[kind] for kind in kinds) for one in told]

    with rounds.open("wb") as out, notes.open("wb") as err:
        watching = Command("sync", f"s3://{BUCKET}/watched", *arguments, stdout=out, stderr=err)
    with watching:
        wait_for(lambda: outcomes() == [(1, 0, 0, 0)], notes.read_text)
        put(bucket, "watched/pier.md", "# Pier\n\nThe pier stands in Varde.")
        wait_for(lambda: outcomes()[1:] == [(1, 0, 0, 1)], notes.read_text)
        bucket.delete_object(Bucket=BUCKET, Key="watched/yard.md")
        wait_for(lambda: outcomes()[2:] == [(0, 0, 1, 1)], notes.read_text)
        watching.send_signal(signal.SIGINT)
        assert watching.wait(PATIENCE) == 0

    assert f"watching s3://{BUCKET}/watched; Ctrl-C ends" in notes.read_text()
    assert "stopped watching" in notes.read_text()
