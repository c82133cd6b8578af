from pathlib import Path

import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.core.filter_text import parse_filter
from hoptrail.core.settings import ApiKey
from hoptrail.web.errors import ApiError
from hoptrail.web.keys import LOCAL, Access, KeyRing, keys_of_settings
from hoptrail.web.limits import RequestRate, Spending
from hoptrail.web.new_key import make_key

FIELDS = {"author": "A", "year": "2020"}


def ring(*names: str, required: bool = False) -> tuple[KeyRing, list[str]]:
    made = [make_key(name) for name in names]
    keys = {name: ApiKey(sha256=digest) for name, (_, digest) in zip(names, made, strict=True)}
    ring = KeyRing(keys, required=required, read=keys_of_settings)
    return ring, [key for key, _ in made]


async def test_where_no_key_is_set_nobody_needs_one() -> None:
    keys, _ = ring()

    assert await keys.find(None) is LOCAL


async def test_where_one_is_required_nobody_gets_in_without() -> None:
    keys, _ = ring(required=True)

    for key in (None, "", "anything", "\udc80"):
        with pytest.raises(ApiError) as refused:
            await keys.find(key)
        assert refused.value.status == 401


async def test_a_key_is_known_by_its_hash() -> None:
    keys, (anna, ben) = ring("anna", "ben")

    assert (await keys.find(anna)).name == "anna"
    assert (await keys.find(ben)).name == "ben"
    with pytest.raises(ApiError):
        await keys.find(anna[:-1])


async def test_a_file_that_is_a_link_may_be_pointed_elsewhere_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hoptrail.web.keys._LOOK_AGAIN_SECONDS", 0)
    link = tmp_path / "hoptrail.toml"
    link.symlink_to(tmp_path / "none.toml")
    keys, _ = ring(required=True)

    for number in range(3):
        secret, digest = make_key("anna")
        edition = tmp_path / f"edition-{number}.toml"
        edition.write_text(f'[keys.anna]\nsha256 = "{digest}"\n# {"x" * number}\n')
        fresh = tmp_path / "fresh"
        fresh.symlink_to(edition)
        fresh.rename(link)  # as Kubernetes changes a Secret that is mounted
        (tmp_path / f"edition-{number - 1}.toml").unlink(missing_ok=True)

        assert (await keys.find(secret)).name == "anna"


@pytest.mark.parametrize("content", ["[keys", "[keys.anna]\nsha256 = 3\n", None])
async def test_a_file_that_can_no_longer_be_read_is_told_once_and_changes_no_key(
    content: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hoptrail.web.keys._LOOK_AGAIN_SECONDS", 0)
    secret, digest = make_key("anna")

    def read() -> dict[str, ApiKey]:
        if content is None:
            raise PermissionError(13, "Permission denied", "hoptrail.toml")
        return dict(keys_of_settings())

    keys = KeyRing({"anna": ApiKey(sha256=digest)}, required=True, read=read)
    (tmp_path / "hoptrail.toml").write_text(content or "x = 1\n")

    for _ in range(3):
        assert (await keys.find(secret)).name == "anna"

    [line] = capfd.readouterr().err.splitlines()
    assert line.startswith("warning: the keys stay as they were: ")
    assert "hoptrail.toml" in line


async def test_keys_that_a_program_gave_stay_whatever_file_appears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hoptrail.web.keys._LOOK_AGAIN_SECONDS", 0)
    given, digest = make_key("anna")
    keys = KeyRing({"anna": ApiKey(sha256=digest)}, required=True)
    other, other_digest = make_key("ben")

    (tmp_path / "hoptrail.toml").write_text(f'[keys.ben]\nsha256 = "{other_digest}"\n')

    assert (await keys.find(given)).name == "anna"
    with pytest.raises(ApiError):
        await keys.find(other)


@pytest.mark.parametrize("name", ["", "a.b", "a/b", "local", "nobody", "x" * 65, "ä"])
def test_a_name_that_places_could_be_mixed_up_by_is_refused(name: str) -> None:
    with pytest.raises(SettingsError):
        make_key(name)


@pytest.mark.parametrize(
    "asked", [None, "", "author = A", "not author = B", {"field": "author", "eq": "B"}]
)
def test_a_request_narrows_the_filter_of_its_key(asked: str | None) -> None:
    access = Access("anna", filter=parse_filter("year = 2021"))

    narrowed = access.narrowed(asked)

    assert narrowed is not None
    assert not parse_filter(narrowed).allows(FIELDS)


def test_a_filter_cannot_leave_its_brackets() -> None:
    access = Access("anna", filter=parse_filter("year = 2021"))

    for asked in ("author = A or year = 2020", "author = A) or (year = 2020"):
        try:
            narrowed = access.narrowed(asked)
        except SettingsError:
            continue
        assert narrowed is not None
        assert not parse_filter(narrowed).allows(FIELDS)


def test_threads_of_another_filter_are_kept_apart() -> None:
    scopes = {Access("a", filter=parse_filter(f"year = {year}")).scope for year in (2020, 2021)}

    assert len(scopes | {Access("a").scope}) == 3


def test_the_rate_of_one_key_is_not_that_of_another() -> None:
    rate = RequestRate()
    one, other = Access("a", requests_per_minute=1), Access("b", requests_per_minute=1)
    rate.take(one)

    rate.take(other)
    with pytest.raises(ApiError):
        rate.take(one)


def test_what_was_spent_is_still_known_after_a_restart(tmp_path: Path) -> None:
    access = Access("a", usd_per_day=1.0)
    for _ in range(2):
        spending = Spending(tmp_path / "web.sqlite")
        spending.check(access)
        spending.add("a", 0.5)
        spending.close()

    spending = Spending(tmp_path / "web.sqlite")
    with pytest.raises(ApiError) as refused:
        spending.check(access)
    spending.check(Access("b", usd_per_day=1.0))
    spending.close()

    assert refused.value.status == 429
