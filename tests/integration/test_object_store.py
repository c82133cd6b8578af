"""`s3://` from the command line, with s3fs, against moto's server of S3 on loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands import run

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
