"""Documents from files, folders, standard input and LangChain documents, one at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from langchain_core.documents import Document as LangChainDocument

from hoptrail.core.errors import InputError, SourceRootError
from hoptrail.core.types import Document
from hoptrail.indexing.loading.conversations import lay_out, read_chat, title_of
from hoptrail.indexing.loading.document_names import (
    CORPUS_SUFFIXES,
    MAILBOX_SUFFIX,
    DocumentName,
    DocumentNames,
)
from hoptrail.indexing.loading.feeds.feed import Feed
from hoptrail.indexing.loading.feeds.loaded import LoadedDocuments
from hoptrail.indexing.loading.files import (
    FileStamps,
    FolderRules,
    LeftOut,
    Skipped,
    is_index_folder,
    plain,
    real_path,
)
from hoptrail.indexing.loading.metadata import file_metadata, row_metadata
from hoptrail.indexing.loading.readers.content import (
    Content,
    is_notion_view,
    is_slack_list,
)
from hoptrail.indexing.loading.readers.mails import mail_content, read_mails
from hoptrail.indexing.loading.readers.pictures import with_files_beside
from hoptrail.indexing.loading.readers.raw_bytes import (
    MAX_FILE_BYTES,
    Row,
    check_file,
    decoded,
    read_rows,
    text_field,
)
from hoptrail.indexing.loading.readers.registry import read_file
from hoptrail.indexing.loading.readers.text_files import text_content
from hoptrail.indexing.loading.scans import is_by_choice
from hoptrail.indexing.loading.scans.reading import Scans
from hoptrail.indexing.loading.web_addresses import address_id, fetched, is_address, scheme_of
from hoptrail.stores.records.database import DATABASE_NAME
from hoptrail.stores.records.source_table import SourceRoot, file_uri

Source = str | Path | Document | LangChainDocument | Feed
Wanted = Callable[[str], bool]
"""Whether the document of an id is to be read."""

_BARE_REPOSITORY = frozenset({"HEAD", "config", "objects", "refs"})
_STDIN = "stdin"
_GIVEN = "langchain"  # source of documents that are given one by one


def every_document(doc_id: str) -> bool:
    """Want all documents, whatever their ids."""
    return True


def load_documents(
    inputs: Iterable[Source],
    *,
    source: str | None = None,
    stdin: BinaryIO | None = None,
    code: bool = False,
    private_addresses: bool = False,
    names: DocumentNames | None = None,
    stamps: FileStamps | None = None,
    left_out: LeftOut | None = None,
    scans: Scans | None = None,
    wanted: Wanted = every_document,
) -> Iterator[Document | Skipped]:
    """Yield the documents of the inputs, and what had to be skipped.

    Args:
        inputs: Files, folders (walked in sorted order, without hidden entries, knowledge bases and
            what is left out), addresses (`https://...`), "-" for `stdin`, documents, or feeds.
        source: First part of the document ids; by default a corpus file's stem, and for other
            files the name of the folder that was named, or that holds them.
        stdin: What "-" reads (the process's own where None): a corpus in JSON Lines where its
            first line is a JSON object, else one text.
        code: Whether files of code within folders are read; one that is named itself is.
        private_addresses: Whether documents of the web may come from this machine and from private
            networks.
        names: Names the files' documents, as a base knows them; anew where None.
        stamps: Tells which files need not be read again, and is told which were read.
        left_out: Decides what of a folder is no document, and is told what was left out.
        scans: Recognises pictures and pages without text.
        wanted: Decides by its id whether a document is read; the files of others are only named.

    Raises:
        SourceRootError: If a file or folder is named as that of another place.
    """
    seen: set[str] = set()
    choices = _Choices(
        source,
        stdin,
        code,
        private_addresses,
        names or DocumentNames(source),
        stamps or FileStamps(),
        left_out or LeftOut(),
        scans or Scans(),
        wanted,
        LoadedDocuments(source or _GIVEN),
    )
    for document in chain.from_iterable(_load(item, choices) for item in inputs):
        if isinstance(document, Document):
            if not wanted(document.id):
                continue
            if document.id in seen:
                yield Skipped(document.id, "another document of this run has the same id")
                continue
            seen.add(document.id)
        yield document


@dataclass(frozen=True, slots=True)
class _Choices:
    """The arguments of `load_documents` but its inputs."""

    source: str | None
    stdin: BinaryIO | None
    code: bool
    private_addresses: bool
    names: DocumentNames
    stamps: FileStamps
    left_out: LeftOut
    scans: Scans
    wanted: Wanted
    given: LoadedDocuments


class _FetchedFiles:
    """Reads what a feed has fetched, as a file that was named is read."""

    def __init__(self, choices: _Choices) -> None:
        self._choices = choices
        self.private_addresses = choices.private_addresses

    def is_unchanged(self, uri: str, version: str) -> bool:
        stamps = self._choices.stamps
        return stamps.is_unchanged(plain(uri), stamps.of_version(version))

    def read(
        self,
        path: Path,
        *,
        uri: str,
        source: str,
        local_id: str,
        metadata: Mapping[str, str] = MappingProxyType({}),
        version: str | None = None,
    ) -> Iterator[Document | Skipped]:
        content = _content(path, self._choices)
        is_whole = version is not None
        for item in _documents_of(content, uri, source, local_id, metadata=metadata):
            is_whole = is_whole and _is_as_meant(item)
            yield item
        if version is not None and is_whole:
            stamps = self._choices.stamps
            stamps.whole[plain(uri)] = stamps.of_version(version)


def _load(item: Source, choices: _Choices) -> Iterator[Document | Skipped]:
    try:
        yield from _load_any(item, choices)
    except OSError as error:
        yield Skipped(plain(str(item)), _reason(error))


def _load_any(item: Source, choices: _Choices) -> Iterator[Document | Skipped]:
    source = choices.source
    if isinstance(item, Document):
        yield item
    elif isinstance(item, LangChainDocument):
        yield _given_document(item, choices.given)
    elif isinstance(item, Feed):
        yield from item.read(_FetchedFiles(choices), source or item.name)
    elif str(item) == "-":
        yield from _load_stdin(choices.stdin, source)
    elif is_address(str(item)):
        yield from _load_address(str(item), choices)
    elif (scheme := scheme_of(str(item))) and not os.path.exists(item):
        yield Skipped(plain(str(item)), f"what begins with {scheme} cannot be read")
    elif os.path.isdir(path := real_path(item)):
        yield from _load_folder(Path(item).expanduser(), path, choices)
    else:
        yield from _load_file(Path(item).expanduser(), path, choices)


def _given_document(item: LangChainDocument, given: LoadedDocuments) -> Document | Skipped:
    try:
        document = given.document(item)
    except InputError as error:
        return Skipped(item.id or "LangChain document", error.message)
    return document if document.text.strip() else Skipped(document.id, "holds no text")


def _load_address(address: str, choices: _Choices) -> Iterator[Document | Skipped]:
    """Yield a document of the web, and the parts of it that could not be read."""
    local_id = address_id(address)
    if not choices.wanted(f"{choices.source}/{local_id}" if choices.source else local_id):
        return
    try:
        with fetched(address, private=choices.private_addresses) as path:
            content = _content(path, choices)
        yield from _documents_of(content, address, choices.source, local_id)
    except InputError as error:
        yield Skipped(plain(address), error.message)


def _load_folder(folder: Path, whole: str, choices: _Choices) -> Iterator[Document | Skipped]:
    count = 0
    root = choices.names.folder(whole)
    rules = choices.left_out.rules_of(folder)

    def is_new(path: Path) -> bool:
        real = os.path.join(whole, path.relative_to(folder).as_posix())
        if choices.stamps.is_unchanged(real):
            return False
        try:
            return choices.wanted(choices.names.below(real, root).id)
        except InputError:  # it is told where the turn of the file comes
            return False

    for path in choices.scans.ahead(_walk(folder, rules), is_new):
        count += 1
        if isinstance(path, Skipped):
            yield path
        elif plain(below := path.relative_to(folder).as_posix()) != below:
            yield Skipped(plain(str(path)), "its name is not UTF-8")
        elif os.path.islink(path) and not Path(os.path.realpath(path)).is_relative_to(whole):
            yield Skipped(plain(str(path)), "a link that leads out of the folder")
        else:
            yield from _load_file(path, os.path.join(whole, below), choices, root)
    if told := rules.told():
        yield Skipped(plain(str(folder)), told)
    elif count == 0:
        yield Skipped(plain(str(folder)), "no files in this folder")


def _walk(folder: Path, rules: FolderRules) -> Iterator[Path | Skipped]:
    """Yield the files below a folder in order; neither links to folders nor loops are followed."""
    unreadable: list[OSError] = []
    for parent, folders, files in os.walk(folder, onerror=unreadable.append):
        if DATABASE_NAME in files:  # a knowledge base beside its documents is none of them
            folders.clear()
            continue
        if is_index_folder(Path(parent)):
            folders.clear()
            yield Skipped(parent, "a Microsoft GraphRAG index: give this folder itself as a PATH")
            continue
        if _BARE_REPOSITORY <= {*folders, *files}:
            folders.clear()
            yield Skipped(plain(parent), "a bare git repository: git clone it, and index the clone")
            continue
        rules.enter(parent, files)
        folders[:] = sorted(name for name in folders if rules.keeps_folder(parent, name, files))
        for name in folders:
            if os.path.islink(os.path.join(parent, name)):
                yield Skipped(plain(os.path.join(parent, name)), "a link to a folder")
        for name in sorted(files):
            is_told_elsewhere = is_notion_view(name, files) or is_slack_list(name, files)
            if not (name.startswith(".") or is_told_elsewhere) and rules.keeps_file(parent, name):
                yield Path(parent, name)
    for error in unreadable:
        yield Skipped(plain(str(error.filename)), _reason(error))


def _load_file(
    path: Path, real: str, choices: _Choices, folder: SourceRoot | None = None
) -> Iterator[Document | Skipped]:
    """Yield what a file holds.

    Args:
        path: As it was named or found.
        real: Its real path.
        choices: How to read it.
        folder: The root that it was found below, None for a file that was named itself.
    """
    if choices.stamps.is_unchanged(real):
        return
    before = choices.stamps.stamp(real)
    is_whole = True
    try:
        name = _name_of(path, real, choices, folder)
        if name is not None and not choices.wanted(name.id):
            return
        for item in _read_documents(path, real, choices, folder, name):
            is_whole = is_whole and _is_as_meant(item)
            yield item
    except SourceRootError as error:
        if folder is None:
            raise
        yield Skipped(plain(str(path)), str(error))
    except InputError as error:
        yield Skipped(plain(str(path)), error.message)
    except OSError as error:
        yield Skipped(plain(str(path)), _reason(error))
    else:
        if is_whole:
            choices.stamps.note_whole(real, before)


def _is_as_meant(item: Document | Skipped) -> bool:
    """Return whether a file is read as a whole: what is left out, is by choice."""
    return isinstance(item, Document) or is_by_choice(item.reason)


def _name_of(
    path: Path, real: str, choices: _Choices, folder: SourceRoot | None
) -> DocumentName | None:
    """Return the name of a file's document, None for a corpus, which has many."""
    if path.suffix.lower() in CORPUS_SUFFIXES:
        return None
    names = choices.names
    return names.file(real) if folder is None else names.below(real, folder)


def _read_documents(
    path: Path,
    real: str,
    choices: _Choices,
    folder: SourceRoot | None,
    name: DocumentName | None,
) -> Iterator[Document | Skipped]:
    if name is None:
        is_mailbox = path.suffix.lower() == MAILBOX_SUFFIX
        check_file(path, is_streamed=is_mailbox)
        source = choices.names.corpus(real, folder).source
        if is_mailbox:
            yield from _load_mailbox(path, file_uri(real), source, choices)
            return
        with path.open("rb") as stream:
            yield from _load_corpus(
                stream, file_uri(real), source, shown=str(path), wanted=choices.wanted
            )
        return
    root = os.path.dirname(real) if folder is None else folder.root
    content = _content(path, choices, code=choices.code or folder is None, root=root)
    own = file_metadata(path)
    yield from _documents_of(
        content, file_uri(real), name.source, name.local_id, metadata=own, shown=str(path)
    )


def _content(
    path: Path, choices: _Choices, *, code: bool = False, root: str | None = None
) -> Content:
    """Return what a file says, its pictures recognised.

    Args:
        path: The file.
        choices: How to read it.
        code: Whether a file of code is read.
        root: Real path of the folder that the pictures of a page may lie in, None for a page that
            was fetched.
    """
    scans = choices.scans
    content = read_file(path, code=code, as_pictures=scans.reads_every_page)
    return scans.read(with_files_beside(content, path, root), path)


def _documents_of(
    content: Content,
    uri: str,
    source: str | None,
    local_id: str,
    *,
    metadata: Mapping[str, str] = MappingProxyType({}),
    shown: str = "",
) -> Iterator[Document | Skipped]:
    """Yield the document of a file or an address, and the parts of it that could not be read.

    Messages call it as `shown`, where that is not as the `uri`.
    """
    text, places, tables = content.joined()
    known = {**metadata, **content.metadata}
    document = _document(local_id, content.title, text, source, uri, known)
    scans = content.scanned_pages()
    yield replace(document, places=places, tables=tables, scans=scans)
    for part, reason in content.left_out:
        yield Skipped(plain(f"{shown or uri}, {part}"), reason)


def _load_mailbox(
    path: Path, uri: str, source: str, choices: _Choices
) -> Iterator[Document | Skipped]:
    """Yield a document for each mail of a mailbox, and what could not be read."""
    count, scans = 0, choices.scans
    for count, (mail_id, raw) in enumerate(read_mails(path), 1):
        if not choices.wanted(f"{source}/{mail_id}"):
            continue
        name = f"{path}, mail {count}"
        if len(raw) > MAX_FILE_BYTES:
            reason = f"a mail of more than the limit of {MAX_FILE_BYTES >> 20} MiB"
            yield Skipped(plain(name), reason)
            continue
        try:
            content = scans.read(mail_content(raw, title="mail without a subject"), path)
        except InputError as error:
            yield Skipped(plain(name), error.message)
        else:
            yield from _documents_of(content, uri, source, mail_id, shown=name)
    if count == 0:
        yield Skipped(plain(str(path)), "holds no mail")


def _load_corpus(
    lines: Iterable[bytes],
    uri: str,
    source: str,
    *,
    shown: str = "",
    wanted: Wanted = every_document,
) -> Iterator[Document | Skipped]:
    name = shown or uri
    for row in read_rows(lines, name):
        if isinstance(row, Skipped):
            yield row
            continue
        number, fields = row
        try:
            if wanted(f"{source}/{_id_of(fields)}"):
                yield _corpus_document(fields, source, uri)
        except InputError as error:
            yield Skipped(f"{name}:{number}", error.message)


def _id_of(row: Row) -> str:
    local_id = text_field(row, "id")
    if not local_id:
        raise InputError('no "id"')
    return plain(local_id)


def _corpus_document(row: Row, source: str, uri: str) -> Document:
    local_id = _id_of(row)
    text = row.get("text")
    if not isinstance(text, str) or not text.strip():
        raise InputError('no "text"')
    title = text_field(row, "title") or ""
    if postings := read_chat(text, local_id):
        title, text = title or title_of(postings), lay_out(postings)
    return _document(local_id, title, text, source, uri, row_metadata(row))


def _load_stdin(stream: BinaryIO | None, source: str | None) -> Iterator[Document | Skipped]:
    data = (stream or sys.stdin.buffer).read(MAX_FILE_BYTES + 1)
    if not data.strip():
        yield Skipped("-", "standard input is empty")
        return
    if len(data) > MAX_FILE_BYTES:
        yield Skipped("-", f"more than the limit of {MAX_FILE_BYTES >> 20} MiB")
        return
    if data.lstrip()[:1] == b"{":
        yield from _load_corpus(data.splitlines(), "-", source or _STDIN)
        return
    try:
        text = decoded(data)
    except InputError as error:
        yield Skipped("-", error.message)
        return
    content = text_content(text, _STDIN)
    yield _document(_STDIN, content.title, content.joined().text, source, None)


def _document(
    local_id: str,
    title: str,
    text: str,
    source: str | None,
    uri: str | None,
    metadata: dict[str, str] | None = None,
) -> Document:
    # Lone surrogates pass through JSON escapes but can be neither hashed nor stored.
    return Document(
        plain(f"{source}/{local_id}" if source else local_id),
        plain(title),
        plain(text),
        plain(source or local_id),
        uri and plain(uri),
        metadata or {},
    )


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
