"""Which reader reads a file: by its suffix, else as text."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from hoptrail.core.errors import InputError, MissingExtraError
from hoptrail.indexing.loading.readers.content import Content
from hoptrail.indexing.loading.readers.raw_bytes import check_file

Reader = Callable[[Path], Content]

_PACKAGE = "hoptrail.indexing.loading.readers"
READERS: dict[str, str] = {
    ".bmp": "pictures.read_picture",
    ".csv": "data_files.read_delimited",
    ".docm": "word.read_word",
    ".docx": "word.read_word",
    ".dotx": "word.read_word",
    ".eml": "mails.read_mail",
    ".epub": "e_books.read_epub",
    ".htm": "web_pages.read_html",
    ".html": "web_pages.read_html",
    ".ics": "calendars.read_calendar",
    ".ipynb": "data_files.read_notebook",
    ".jpeg": "pictures.read_picture",
    ".jpg": "pictures.read_picture",
    ".json": "data_files.read_json",
    ".markdown": "text_files.read_markdown",
    ".md": "text_files.read_markdown",
    ".pdf": "pdf.read_pdf",
    ".png": "pictures.read_picture",
    ".potx": "slides.read_slides",
    ".pptm": "slides.read_slides",
    ".pptx": "slides.read_slides",
    ".rst": "text_files.read_rst",
    ".tab": "data_files.read_delimited",
    ".tif": "pictures.read_picture",
    ".tiff": "pictures.read_picture",
    ".tsv": "data_files.read_delimited",
    ".webp": "pictures.read_picture",
    ".xhtml": "web_pages.read_html",
    ".xlsm": "workbooks.read_workbook",
    ".xlsx": "workbooks.read_workbook",
}
"""The reader of each suffix as `module.function`, imported when the first such file comes."""

CODE = frozenset(
    """.bash .bat .c .cc .cfg .clj .cpp .cs .css .dart .el .erl .ex .f90 .go .gradle .groovy .h .hpp
    .hs .ini .java .jl .js .jsx .kt .less .lua .m .mjs .ml .pas .php .pl .ps1 .py .pyi .r .rb .rs
    .sass .scala .scss .sh .sql .svelte .swift .tcl .toml .ts .tsx .vb .vue .xsl .yaml .yml
    .zsh""".split()
)
"""Suffixes of code and settings, which are read as text where that is asked for."""

_NOT_READ = {
    "a picture of a kind that is not read: save it as .png": ".gif .heic .ico .psd .svg",
    "sound or video": ".aac .avi .flac .m4a .mkv .mov .mp3 .mp4 .mpg .ogg .wav .webm .wma .wmv",
    "an archive: unpack it": ".7z .bz2 .gz .jar .rar .tar .tgz .xz .zip",
    "an Office format from before 2007: save it as .docx": ".doc .dot",
    "an Office format from before 2007: save it as .xlsx": ".xls .xlt",
    "an Office format from before 2007: save it as .pptx": ".ppt .pps",
    "a format that is not read: save it as .docx": ".odt .pages .rtf .wpd",
    "a format that is not read: save it as .xlsx": ".numbers .ods .xlsb",
    "a format that is not read: save it as .pptx": ".key .odp",
    "a format that is not read: save it as .eml": ".msg",
    "a format that is not read: save it as .mbox": ".pst",
    "a format that is not read: save it as .epub or .pdf": ".azw .azw3 .djvu .mobi .xps",
}
_REASONS = {suffix: reason for reason, listed in _NOT_READ.items() for suffix in listed.split()}
NOT_READ = frozenset(_REASONS)
"""Suffixes of formats that are not read."""


_AS_PICTURES = {".pdf": "pdf.read_pdf_as_pictures"}


def read_file(path: Path, *, code: bool = False, as_pictures: bool = False) -> Content:
    """Return what a file says, but for the pictures that are still to be recognised.

    Args:
        path: The file.
        code: Whether files of code are read, as text.
        as_pictures: Whether every page of a PDF file is to be recognised.

    Raises:
        InputError: If it cannot be read; the message says why and what to do.
    """
    check_file(path)
    suffix = path.suffix.lower()
    if suffix in _REASONS:
        raise InputError(_REASONS[suffix])
    if suffix in CODE and not code:
        raise InputError("a file of code: give --code, or code=True, to index these too")
    try:
        # The libraries' warnings are about themselves; what matters is raised as an error.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            content = _reader(suffix, as_pictures)(path)
    except MissingExtraError as error:
        raise InputError(f"{error.message}: {error.hint}") from error
    except RecursionError as error:
        raise InputError("nested too deeply") from error
    except MemoryError as error:
        raise InputError("too large for the memory of this machine") from error
    if not content.pictures and not any(block.text.strip() for block in content.blocks):
        raise InputError("holds no text")
    return content


def _reader(suffix: str, as_pictures: bool) -> Reader:
    named = READERS.get(suffix, "text_files.read_text")
    if as_pictures:
        named = _AS_PICTURES.get(suffix, named)
    module, _, function = named.partition(".")
    reader: Reader = getattr(import_module(f"{_PACKAGE}.{module}"), function)
    return reader
