import subprocess
import sys
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.cli import serve
from hoptrail.core.errors import (
    MissingExtraError,
    NotAKnowledgeBaseError,
    SettingsError,
    UnknownNameError,
)
from hoptrail.core.settings import ServedBase, Settings


def test_without_choices_the_plain_graph_is_served() -> None:
    assert serve._graph_with({}) == "hoptrail.graphs.qa:graph"


def test_choices_reach_the_served_graph_as_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(serve.DEFAULTS_VARIABLE, "")
    module, _, name = serve._graph_with({"preset": "vector", "k": 3}).partition(":")
    code = f"import {module} as m; print(m._defaults.preset, m._defaults.k, m.{name} is not None)"
    printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert printed.split() == ["vector", "3", "True"]


def test_an_unknown_choice_is_refused_before_the_server_starts() -> None:
    with pytest.raises(UnknownNameError, match="budget"):
        serve._graph_with({"bugdet": 3})


@pytest.mark.parametrize("choice", ["folder", "=folder", "name="])
def test_a_knowledge_base_needs_name_and_folder(choice: str) -> None:
    with pytest.raises(SettingsError, match="NAME=DIR"):
        serve.served_bases([choice], Settings())


def test_a_folder_alone_is_served_under_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("kb", "with=sign", "other/kb"):
        Hoptrail.open(name, create=True).close()

    assert serve.served_bases(["./kb", "with=sign"], Settings()) == {
        "kb": ServedBase(records=tmp_path / "kb"),
        "with=sign": ServedBase(records=tmp_path / "with=sign"),
    }
    with pytest.raises(SettingsError, match="two knowledge bases are called kb"):
        serve.served_bases(["kb", "other/kb"], Settings())


def test_a_listed_base_can_be_chosen_by_its_name_and_no_other_is_served(tmp_path: Path) -> None:
    Hoptrail.open(tmp_path / "kb", create=True).close()
    club, private = (ServedBase(records=tmp_path / name) for name in ("kb", "private"))
    settings = Settings(knowledge_bases={"club": club, "private": private})
    assert serve.served_bases(["club"], settings) == {"club": club}


def test_all_listed_bases_are_served_where_none_is_chosen(tmp_path: Path) -> None:
    listed = {name: ServedBase(records=tmp_path / name) for name in ("club", "private")}
    for base in listed.values():
        Hoptrail.open(base.records, create=True).close()
    assert serve.served_bases([], Settings(knowledge_bases=listed)) == listed


def test_a_served_folder_must_hold_a_knowledge_base() -> None:
    with pytest.raises(NotAKnowledgeBaseError):
        serve.served_bases(["a=nowhere"], Settings())


def test_something_must_be_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match="no knowledge base"):
        serve.served_bases([], Settings())


def test_missing_server_packages_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langgraph_api", None)
    with pytest.raises(MissingExtraError) as caught:
        serve._require_server()
    assert caught.value.hint == 'pip install "hoptrail[serve]"'


def test_only_the_given_address_is_listened_for_by_name() -> None:
    rules = serve._rules("kb.example.org", False, [], ["other.example.org"])

    assert rules.hosts == {"kb.example.org", "other.example.org"}
    assert not rules.any_address
    assert rules.origins == set()


def test_listening_everywhere_lets_any_address_name_it() -> None:
    rules = serve._rules("0.0.0.0", False, [], [])  # noqa: S104

    assert rules.any_address
    assert rules.hosts == set()


def test_studio_and_other_pages_are_let_in_by_options() -> None:
    rules = serve._rules("127.0.0.1", True, ["https://example.org/"], [])

    assert rules.origins == {"https://smith.langchain.com", "https://example.org"}


def test_where_none_is_named_the_usual_one_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Hoptrail.open("hoptrail-kb", create=True).close()

    assert serve.served_bases([], Settings()) == {
        "hoptrail-kb": ServedBase(records=tmp_path / "hoptrail-kb")
    }
