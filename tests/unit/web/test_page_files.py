"""The files of the page as browsers get them."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from hoptrail.web.page_files import PAGE, PageFiles


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=[Mount("/static", PageFiles())]))


@pytest.mark.parametrize("element", ["style", "script"])
def test_the_policy_allows_the_text_that_stands_in_the_page(
    client: TestClient, element: str
) -> None:
    page = client.get(f"/static/{PAGE}")
    (text,) = re.findall(rf"<{element}>(.*?)</{element}>", page.text, re.S)
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    policy = page.headers["content-security-policy"]

    assert f"{element}-src 'self' 'sha256-{digest}'" in policy.split("; ")


def test_what_has_not_changed_keeps_its_policy(client: TestClient) -> None:
    first = client.get(f"/static/{PAGE}")

    again = client.get(f"/static/{PAGE}", headers={"If-None-Match": first.headers["etag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["content-security-policy"] == first.headers["content-security-policy"]


def test_files_are_compressed_for_those_who_read_it(client: TestClient) -> None:
    packed = client.get("/static/style.css", headers={"Accept-Encoding": "gzip, br"})
    plain = client.get("/static/style.css", headers={"Accept-Encoding": "identity"})

    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < int(plain.headers["content-length"]) / 2
    assert packed.text == plain.text


def test_nothing_else_is_found_or_changed(client: TestClient) -> None:
    assert client.get("/static/..%2fgate.py").status_code == 404
    assert client.get("/static/").status_code == 404
    assert client.post("/static/app.js").status_code == 405
