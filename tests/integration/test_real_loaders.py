"""Loaders of the real `langchain-community`, and a reader of LlamaIndex, over real local data."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hoptrail import Hoptrail
from hoptrail.core.errors import InputError
from hoptrail.indexing.loading.feeds.loaders import loader_named
from hoptrail.testing import HashingEmbedder
from tests.web_site import WebSite, page, serving

pytestmark = pytest.mark.slow
loaders = pytest.importorskip(
    "langchain_community.document_loaders", reason="pip install langchain-community"
)

KEEL = "Tor Lie laid the keel of the Varde in 1911."
GUILD = "Edda Thorn founded the Thorn Guild in Brackenholm in 1954."
Case = tuple[Any, list[str]]


@pytest.fixture
def h(tmp_path: Path) -> Iterator[Hoptrail]:
    with Hoptrail.open(tmp_path / "kb", create=True, embedder=HashingEmbedder()) as opened:
        yield opened


def notion(folder: Path) -> Case:
    for name, text in (("Keel 0a", KEEL), ("Guild 0b", GUILD)):
        (folder / f"{name}.md").write_text(f"# {name[:-3]}\n\n{text}")
    return loaders.NotionDirectoryLoader(str(folder)), ["Guild 0b.md", "Keel 0a.md"]


def slack(folder: Path) -> Case:
    (folder / "x" / "yard").mkdir(parents=True)
    (folder / "x" / "channels.json").write_text('[{"id": "C1", "name": "yard"}]')
    message = {"type": "message", "user": "U1", "ts": "1777888800.1", "text": KEEL}
    (folder / "x" / "yard" / "2026-05-04.json").write_text(json.dumps([message]))
    file = shutil.make_archive(str(folder / "slack"), "zip", folder / "x")
    return loaders.SlackDirectoryLoader(file), ["yard - U1 - 1777888800.1"]


def csv(folder: Path) -> Case:
    (folder / "people.csv").write_text("name,town\nIda Holm,Varde\nTor Lie,Lund\n")
    return loaders.CSVLoader(folder / "people.csv"), ["people.csv#row=0", "people.csv#row=1"]


def json_file(folder: Path) -> Case:
    pytest.importorskip("jq", reason="the extra dev is not installed")
    said = {"name": "yard", "messages": [{"text": KEEL}, {"text": GUILD}]}
    (folder / "yard.json").write_text(json.dumps(said))
    loader = loaders.JSONLoader(folder / "yard.json", ".messages[]", content_key="text")
    return loader, ["yard.json#seq_num=1", "yard.json#seq_num=2"]


def text_folder(folder: Path) -> Case:
    (folder / "sub").mkdir()
    (folder / "sub" / "a.txt").write_text(KEEL)
    (folder / "b.txt").write_text(GUILD)
    loader = loaders.DirectoryLoader(
        str(folder), glob="**/*.txt", loader_cls=loaders.TextLoader, show_progress=False
    )
    return loader, ["b.txt", "sub/a.txt"]


def html(folder: Path) -> Case:
    (folder / "keel.html").write_text(page(KEEL, head="<title>The keel</title>"))
    return loaders.BSHTMLLoader(folder / "keel.html"), ["keel.html"]


def pdf(folder: Path) -> Case:
    from reportlab.pdfgen.canvas import Canvas

    drawn = Canvas(str(folder / "yard.pdf"))
    for text in (KEEL, GUILD):
        drawn.drawString(72, 700, text)
        drawn.showPage()
    drawn.save()
    ids = [f"yard.pdf#page={at}&page_label={at + 1}" for at in (0, 1)]
    return loaders.PyPDFDirectoryLoader(str(folder)), ids


def git(folder: Path) -> Case:
    pytest.importorskip("git", reason="pip install gitpython")
    (folder / "README.md").write_text(f"# Yard\n\n{KEEL}")
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "First"]):
        subprocess.run(["git", *who, *command], cwd=folder, check=True)
    return loaders.GitLoader(str(folder), branch="main"), ["README.md"]


def whatsapp(folder: Path) -> Case:
    (folder / "chat.txt").write_text("[05.05.23, 15:48:11] Ida: Hello Tor\n")
    return loaders.WhatsAppChatLoader(str(folder / "chat.txt")), ["chat.txt"]


def obsidian(folder: Path) -> Case:
    (folder / "Keel.md").write_text(f"---\nauthor: Ida Holm\n---\n{KEEL}")
    return loaders.ObsidianLoader(str(folder)), ["Keel.md"]


def simple_directory(folder: Path) -> Case:
    from llama_index.core import SimpleDirectoryReader

    (folder / "a.md").write_text(KEEL)
    (folder / "b.md").write_text(GUILD)
    return SimpleDirectoryReader(str(folder)), ["a.md", "b.md"]


def stored(h: Hoptrail) -> list[str]:
    return sorted(one["doc_id"] for one in h.info(documents=True)["documents"])


CASES: list[Callable[[Path], Case]] = [
    notion, slack, csv, json_file, text_folder, html, pdf, git, whatsapp, obsidian,
    simple_directory,
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_a_loader_gives_documents_with_ids_that_stay(
    case: Callable[[Path], Case], h: Hoptrail, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    loader, ids = case(tmp_path / "data")

    report = h.sync(loader, source="x", extractor="nlp")

    assert (report["skipped"], report["documents"]["added"]) == ([], len(ids))
    assert sorted(one["doc_id"] for one in h.info(documents=True)["documents"]) == [
        f"x/{id_}" for id_ in sorted(ids)
    ]
    assert h.sync(loader, source="x", extractor="nlp")["documents"]["unchanged"] == len(ids)


def test_the_pages_of_a_sitemap(h: Hoptrail) -> None:
    with serving(WebSite({"/a": page(KEEL), "/b": page(GUILD)})) as site:
        listed = "".join(f"<url><loc>{site.url}{path}</loc></url>" for path in ("/a", "/b"))
        site.pages["/sitemap.xml"] = f"<urlset>{listed}</urlset>"
        loader = loaders.SitemapLoader(f"{site.url}/sitemap.xml", restrict_to_same_domain=False)
        loader.requests_per_second = 50
        assert h.index(loader, source="site", extractor="nlp")["documents"]["added"] == 2
        host = site.url.partition("://")[2]
        assert stored(h) == [f"site/{host}/a", f"site/{host}/b"]


def test_what_is_gone_from_an_export_is_deleted(h: Hoptrail, tmp_path: Path) -> None:
    loader, _ = notion(tmp_path)
    h.sync(loader, source="wiki", extractor="nlp")
    (tmp_path / "Guild 0b.md").unlink()
    assert h.sync(loader, source="wiki", extractor="nlp")["deleted"] == ["wiki/Guild 0b.md"]
    assert h.ask("Who laid the keel of the Varde?").answers[0].text == "Tor Lie"


def test_a_package_that_a_loader_lacks_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jq", None)
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(InputError, match="jq package not found") as caught:
        loader_named(
            "langchain_community.document_loaders:JSONLoader",
            {"file_path": str(tmp_path / "a.json"), "jq_schema": "."},
        )
    assert "the packages it needs are installed" in caught.value.hint
