"""Hooks of MkDocs: pages of docs/ stay as they read in the repository, and become a site.

They link to the README and to files outside docs/, which a site does not have. Here these become
pages too, the links are pointed at them, and the pages of the reference are made from the code.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from packaging.version import Version
from reference import reference_pages

from hoptrail import __version__

ROOT = Path(__file__).resolve().parents[1]
_PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
_LINK = re.compile(r"(?<=\]\()([^()#\s:]+)(?=(?:#[^()\s]*)?\))")
_FENCE = re.compile(r"^(`{3,}).*?^\1", re.MULTILINE | re.DOTALL)
_LANGUAGES = {".py": "python", ".jsonl": "json", ".toml": "toml", ".md": "markdown"}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Let a version's site offer the others, where it is built in a folder of its version."""
    if _is_of_version(config):
        config.extra["version"] = {"provider": "mike"}  # the form of the list that the theme reads
    return config


def on_post_build(config: MkDocsConfig) -> None:
    """List the versions that lie beside a version's site, the newest first, and lead to it."""
    if not _is_of_version(config):
        return
    folder = Path(config.site_dir).parent
    names = [one.parent.name for one in folder.glob("*/index.html")]
    names.sort(key=Version, reverse=True)
    versions = [{"version": name, "title": name, "aliases": []} for name in names]
    (folder / "versions.json").write_text(json.dumps(versions), encoding="utf-8")
    newest = f'<meta http-equiv="refresh" content="0; url={names[0]}/index.html">\n'
    (folder / "index.html").write_text(newest, encoding="utf-8")


def _is_of_version(config: MkDocsConfig) -> bool:
    return Path(config.site_dir).name == __version__


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what is not in docs/: pages of the root, files that pages link to, the reference."""
    for name, uri in _PAGES.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, uri, content=text))
    for name, text in reference_pages().items():
        files.append(File.generated(config, f"reference/{name}.md", content=text))
    for path in sorted(linked_files(files)):
        files.append(File.generated(config, _uri(path), content=_shown(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links at the pages that files of the repository have here."""
    origin = _origin(page.file.src_uri)
    if origin is None:
        return markdown

    def pointed(target: str) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(origin), target))
        if not (ROOT / path).is_file():
            return target
        return posixpath.relpath(_uri(path), posixpath.dirname(page.file.src_uri) or ".")

    return _outside_code(markdown, lambda text: _LINK.sub(lambda link: pointed(link[1]), text))


def linked_files(files: Files) -> set[str]:
    """Return the paths in the repository of files that pages link to and that are no pages."""
    found: set[str] = set()
    for file in files.documentation_pages():
        origin = _origin(file.src_uri)
        if origin is None:
            continue
        for text in _text_parts(file.content_string):
            for target in _LINK.findall(text):
                path = posixpath.normpath(posixpath.join(posixpath.dirname(origin), target))
                if (ROOT / path).is_file() and _uri(path).startswith("source/"):
                    found.add(path)
    return found


def _origin(uri: str) -> str | None:
    """Return where a page stands in the repository; None where it is made from code."""
    for name, page in _PAGES.items():
        if uri == page:
            return name
    if uri.startswith("source/"):
        path = uri.removeprefix("source/").removesuffix(".md")
        return path if path.endswith((".ipynb", "NOTES.md")) else None
    return None if uri.startswith("reference/") else f"docs/{uri}"


def _uri(path: str) -> str:
    if path in _PAGES:
        return _PAGES[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else f"source/{path}.md"


def _shown(path: str) -> str:
    """Return a page that shows a file."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if path == "benchmarks/NOTES.md":
        return text
    if path.endswith(".ipynb"):
        return "\n\n".join(_cells(json.loads(text)["cells"]))
    language = _LANGUAGES.get(Path(path).suffix, "text")
    return f"# {path}\n\n`````{language}\n{text.rstrip()}\n`````\n"


def _cells(cells: list[Any]) -> Iterator[str]:
    """Yield the cells of a notebook with what they show, as Markdown."""
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield source
            continue
        yield f"`````python\n{source}\n`````"
        for shown in cell["outputs"]:
            data = shown.get("data", {})
            if "image/svg+xml" in data:
                yield "".join(data["image/svg+xml"]).replace("\n", " ")
            elif text := "".join(shown.get("text", data.get("text/plain", []))):
                yield f"`````text\n{text.rstrip()}\n`````"


def _text_parts(markdown: str) -> Iterator[str]:
    yield from _FENCE.sub("\0", markdown).split("\0")


def _outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """Return the text changed but for its blocks of code."""
    done, end = [], 0
    for block in _FENCE.finditer(markdown):
        done += [change(markdown[end : block.start()]), block[0]]
        end = block.end()
    return "".join([*done, change(markdown[end:])])
