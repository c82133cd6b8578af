"""The README's examples run as they stand."""

import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


@pytest.mark.slow
def test_python_examples_run_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    for key in ("GROQ_API_KEY", "OPENAI_API_KEY", "HOPTRAIL_MODEL"):
        monkeypatch.delenv(key, raising=False)
    for code in blocks("python"):
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
    printed = capsys.readouterr().out
    assert "Edda Thornvale" in printed
    assert "Brackenholm" in printed


def test_the_settings_example_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from hoptrail.core.settings import load_settings

    monkeypatch.chdir(tmp_path)
    (tmp_path / "hoptrail.toml").write_text(blocks("toml")[0], encoding="utf-8")
    assert load_settings().models == {"answerer": "groq:llama-3.3-70b-versatile"}


def test_the_tables_name_every_setting_and_no_other() -> None:
    from hoptrail.core.settings import Settings
    from hoptrail.graphs.context import Context

    for heading, fields in (("setting", Settings), ("choice", Context)):
        table = re.search(rf"^\| {heading} \|.*?\n\n", README, re.DOTALL | re.MULTILINE)
        assert table is not None
        names = re.findall(r"^\| `(\w+)`", table.group(), re.MULTILINE)
        assert sorted(names) == sorted(fields.model_fields)


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
