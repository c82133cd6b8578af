"""Who is believed about who asks."""

from __future__ import annotations

import hmac
import json
import os
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from jwt.utils import base64url_encode
from pydantic import ValidationError
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from hoptrail.core.errors import SettingsError
from hoptrail.core.settings import SignOn
from hoptrail.web.errors import ApiError
from hoptrail.web.keys import Access
from hoptrail.web.sign_on import PeerNotes, SignedOn
from tests.identity import AUDIENCE, ISSUER, Issuer

HEADER = "X-Forwarded-User"
PROXY = "10.1.2.3"


def people(**choices: Any) -> SignedOn:
    return SignedOn(SignOn.model_validate({"header": HEADER, "proxies": ["10.0.0.0/8"], **choices}))


async def ask(
    signed_on: SignedOn, *values: str, peer: str | None = PROXY, header: str = HEADER
) -> Access | None:
    """Return who asks, over a connection from `peer` whose other headers may say anything."""
    raw = [(header.lower().encode(), value.encode()) for value in values]
    raw.append((b"x-forwarded-for", PROXY.encode()))
    found: list[Access | None] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        scope["client"] = (PROXY, 1)  # as a middleware believes X-Forwarded-For
        found.append(await signed_on.find(scope, Headers(scope=scope)))

    scope = {"type": "http", "headers": raw, "client": (peer, 5000) if peer else None}
    await PeerNotes(app)(scope, None, None)  # type: ignore[arg-type]
    return found[0]


async def refused(signed_on: SignedOn, *values: str, **where: Any) -> tuple[int, str]:
    with pytest.raises(ApiError) as refusal:
        await ask(signed_on, *values, **where)
    return refusal.value.status, refusal.value.code


@pytest.mark.parametrize("peer", ["10.1.2.3", "::ffff:10.1.2.3"])
async def test_a_proxy_names_who_asks(peer: str) -> None:
    access = await ask(people(), "anna@example.org", peer=peer)

    assert access is not None
    assert (access.name, access.shown_name) == ("user:anna@example.org", "anna@example.org")
    assert access.is_restricted, "figures of the server are not for everybody who logs in"
    assert not access.writes


@pytest.mark.parametrize("peer", ["127.0.0.1", "11.0.0.1", "::1", "unix", None])
async def test_anybody_else_is_refused_whatever_x_forwarded_for_says(peer: str | None) -> None:
    assert await refused(people(), "anna", peer=peer) == (403, "forged_identity")


async def test_where_nobody_noted_the_peer_nobody_is_believed() -> None:
    scope = {"type": "http", "headers": [(HEADER.lower().encode(), b"anna")], "client": (PROXY, 1)}

    with pytest.raises(ApiError, match="taken from the proxy alone"):
        await people().find(scope, Headers(scope=scope))


async def test_a_request_without_the_header_is_nobodys() -> None:
    assert await ask(people()) is None
    assert await ask(people(), peer="127.0.0.1") is None


@pytest.mark.parametrize(
    "values",
    [("anna", "admin"), ("admin, anna",), ("",), (" ",), ("a" * 201,), ("a\x07b",), ("a\u2028b",)],
    ids=repr,
)
async def test_a_name_that_could_be_two_or_none_is_refused(values: tuple[str, ...]) -> None:
    assert await refused(people(), *values) == (401, "bad_identity")


async def test_a_name_may_hold_any_letters() -> None:
    access = await ask(people(), "Zoë Müller")

    assert access is not None and access.shown_name == "Zoë Müller"


async def test_no_person_is_the_holder_of_a_key_or_the_operator() -> None:
    for name in ("local", "nobody", "anna"):
        access = await ask(people(), name)
        assert access is not None and access.name not in ("local", "nobody", "anna")


async def test_people_have_the_rights_of_all_or_their_own() -> None:
    signed_on = people(
        rights={"bases": ["open"]}, people={"ben@example.org": {"bases": ["open", "board"]}}
    )

    anna, ben = await ask(signed_on, "anna"), await ask(signed_on, "ben@example.org")

    assert anna is not None and anna.bases == frozenset({"open"})
    assert ben is not None and ben.bases == frozenset({"open", "board"})


@pytest.mark.parametrize(
    "choices",
    [
        {"proxies": []},
        {"proxies": ["0.0.0.0/0"]},
        {"proxies": ["::/0"]},
        {"proxies": ["proxy.example.org"]},
        {"header": "X Forwarded User"},
        {"header": "Authorization"},
    ],
    ids=repr,
)
def test_choices_that_would_believe_anybody_are_refused(choices: Any) -> None:
    with pytest.raises(ValidationError):
        people(**choices)


def test_a_filter_that_cannot_be_read_is_told_at_the_start() -> None:
    with pytest.raises(SettingsError):
        people(rights={"filter": "author ="})


class TestTokens:
    @pytest.fixture
    def issuer(self) -> Issuer:
        return Issuer()

    @pytest.fixture
    def choices(self, issuer: Issuer, tmp_path: Path) -> dict[str, Any]:
        keys = issuer.write_key_set(tmp_path / "keys.json", Issuer("two", curve=False))
        return {"token": {"keys": keys, "audience": AUDIENCE, "issuer": ISSUER}}

    @pytest.mark.parametrize("before", ["", "Bearer "])
    async def test_a_token_names_who_asks(self, issuer: Issuer, choices: Any, before: str) -> None:
        access = await ask(people(**choices), before + issuer.token())

        assert access is not None and access.shown_name == "anna"

    async def test_another_claim_may_name_the_person(self, issuer: Issuer, choices: Any) -> None:
        choices["token"]["claim"] = "email"

        access = await ask(people(**choices), issuer.token(email="anna@example.org"))

        assert access is not None and access.shown_name == "anna@example.org"
        assert await refused(people(**choices), issuer.token()) == (401, "bad_identity")

    @pytest.mark.parametrize("curve", [True, False])
    async def test_one_key_may_be_a_pem_file(self, curve: bool, tmp_path: Path) -> None:
        issuer = Issuer(curve=curve)
        keys = issuer.write_pem(tmp_path / "key.pem")

        access = await ask(people(token={"keys": keys, "audience": AUDIENCE}), issuer.token())

        assert access is not None and access.shown_name == "anna"

    @pytest.mark.parametrize(
        "claims",
        [
            {"exp": 1_000_000_000},
            {"exp": None},
            {"aud": "another application"},
            {"aud": None},
            {"iss": "https://elsewhere.example.org"},
            {"iss": None},
            {"sub": None},
            {"sub": "admin, anna"},
        ],
        ids=repr,
    )
    async def test_a_token_that_says_something_else_is_refused(
        self, issuer: Issuer, choices: Any, claims: Any
    ) -> None:
        assert await refused(people(**choices), issuer.token(**claims)) == (401, "bad_identity")

    async def test_a_token_that_another_signed_is_refused(self, choices: Any) -> None:
        signed_on = people(**choices)
        public = Path(choices["token"]["keys"]).read_bytes()
        said = {"sub": "anna", "aud": AUDIENCE, "iss": ISSUER, "exp": int(time.time()) + 60}
        unsigned = jwt.encode(said, "", "none")
        head = base64url_encode(json.dumps({"alg": "HS256", "typ": "JWT", "kid": "one"}).encode())
        body = head + b"." + unsigned.split(".")[1].encode()
        mac = hmac.digest(public, body, "sha256")
        shared = (body + b"." + base64url_encode(mac)).decode()

        for token in (Issuer().token(), Issuer("three").token(), unsigned, shared, "x", "a.b.c"):
            assert await refused(signed_on, token) == (401, "bad_identity")

    async def test_a_token_from_elsewhere_than_the_proxy_is_refused(
        self, issuer: Issuer, choices: Any
    ) -> None:
        where = {"peer": "127.0.0.1"}
        assert await refused(people(**choices), issuer.token(), **where) == (403, "forged_identity")

    async def test_an_issuer_may_change_its_keys(self, issuer: Issuer, choices: Any) -> None:
        file = Path(choices["token"]["keys"])
        signed_on, fresh = people(**choices), Issuer("fresh")
        assert await ask(signed_on, issuer.token()) is not None

        fresh.write_key_set(file)
        os.utime(file, ns=(1, 1))

        assert await ask(signed_on, fresh.token()) is not None
        assert await refused(signed_on, issuer.token()) == (401, "bad_identity")

        file.write_text("{")
        assert await ask(signed_on, fresh.token()) is not None, "a broken file changes nothing"

    async def test_in_authorization_a_key_is_left_to_the_keys(
        self, issuer: Issuer, choices: Any
    ) -> None:
        signed_on = people(header="Authorization", **choices)
        where = {"header": "Authorization"}

        assert await ask(signed_on, "Bearer hoptrail-secret", peer="127.0.0.1", **where) is None
        assert await ask(signed_on, f"Bearer {issuer.token()}", **where) is not None

    @pytest.mark.parametrize(
        "text",
        ["", "{", '{"keys": []}', '{"kty": "oct", "k": "c2VjcmV0"}', "-----BEGIN PUBLIC KEY-----"],
    )
    def test_a_file_without_a_public_key_ends_the_start(
        self, choices: Any, text: str, tmp_path: Path
    ) -> None:
        file = tmp_path / "keys"
        file.write_text(text)
        choices["token"]["keys"] = file

        with pytest.raises(SettingsError, match="sign_on.token.keys"):
            people(**choices)
