"""Names of installed packages: real entry points, of packages that a test puts on the path."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hoptrail.core.errors import PluginError, UnknownNameError
from hoptrail.core.plugins import Registry, plugin_names

GROUP = "hoptrail.test_numbers"
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Return a function that installs a package of one module with one entry point."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def install(package: str, name: str, code: str) -> None:
        module = f"module_of_{package}"
        (tmp_path / f"{module}.py").write_text(code)
        info = tmp_path / f"{package}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(f"[{GROUP}]\n{name} = {module}:value\n")
        monkeypatch.delitem(sys.modules, module, raising=False)

    return install


def numbers() -> Registry[str]:
    """Return a registry of texts that begin with their name."""
    return Registry(
        {"one": "one 1", "two": "two 2"},
        kind="number",
        group=GROUP,
        name_of=lambda value: value.partition(" ")[0] if isinstance(value, str) else None,
        expected="a text",
    )


def error_of(name: str) -> str:
    with pytest.raises(PluginError) as raised:
        numbers().find(name)
    return str(raised.value)


def test_a_name_of_a_package_stands_beside_the_built_in_ones(install: Install) -> None:
    install("abacus", "three", "value = 'three 3'")
    assert dict(numbers()) == {"one": "one 1", "two": "two 2", "three": "three 3"}
    assert numbers().find("three") == "three 3"
    assert len(numbers()) == 3


def test_a_built_in_name_imports_no_package(install: Install) -> None:
    install("abacus", "three", "value = 'three 3'")
    assert numbers().find("two") == "two 2"
    assert "module_of_abacus" not in sys.modules


def test_names_are_listed_without_an_import(install: Install) -> None:
    install("abacus", "three", "raise ValueError")
    assert plugin_names(GROUP) == ["three"]


def test_an_unknown_name_is_told_those_of_packages_too(install: Install) -> None:
    install("abacus", "three", "value = 'three 3'")
    with pytest.raises(UnknownNameError, match="did you mean 'three'"):
        numbers().find("thre")


@pytest.mark.parametrize(
    ("name", "code", "reason"),
    [
        ("three", "import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("three", "raise ValueError('two\\nlines')", "ValueError: two lines"),
        ("three", "other = 1", "AttributeError"),
        ("three", "value = 3", "module_of_abacus:value is not a text"),
        ("three", "value = 'four 4'", "calls itself 'four'"),
        ("Drei!", "value = 'Drei! 3'", "a name is made of small letters"),
    ],
    ids=["missing module", "broken module", "no such value", "type", "other name", "no identifier"],
)
def test_what_cannot_be_used_names_its_package_and_leaves_the_others(
    install: Install, name: str, code: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    install("abacus", name, code)
    install("beads", "four", "value = 'four 4'")
    registry = numbers()
    with caplog.at_level(logging.WARNING):
        assert list(registry) == ["one", "two", "four"]
        assert list(registry) == ["one", "two", "four"]
    [line] = caplog.messages
    assert line == error_of(name)
    assert "\n" not in line
    assert reason in line
    assert "abacus 1.2" in line


def test_a_built_in_name_stays_what_it_is(
    install: Install, caplog: pytest.LogCaptureFixture
) -> None:
    install("abacus", "one", "value = 'one 111'")
    registry = numbers()
    assert dict(registry) == {"one": "one 1", "two": "two 2"}
    assert registry.find("one") == "one 1"
    assert [plugin.error for plugin in registry.plugins] == ["the name is that of a built-in one"]
    assert "abacus 1.2" in caplog.text


def test_a_name_of_two_packages_is_neithers(install: Install) -> None:
    install("abacus", "three", "value = 'three 3'")
    install("beads", "three", "value = 'three 33'")
    assert "three" not in numbers()
    assert "abacus 1.2 cannot be used: beads 1.2 adds the same name" in error_of("three")


def test_what_cannot_be_used_is_not_reported_before_names_are_listed(
    install: Install, caplog: pytest.LogCaptureFixture
) -> None:
    install("abacus", "three", "raise ValueError")
    registry = numbers()
    assert registry.quietly() == ("one", "two")
    assert [plugin.name for plugin in registry.plugins] == ["three"]
    with pytest.raises(PluginError):
        registry.find("three")
    assert caplog.messages == []
