"""Made-up input for whatever reads text of others: only an error of one line is allowed, and soon.

A trial is one run of hypothesis, whose seed reproduces it; a failing input is shrunk and printed.
"""

from __future__ import annotations

import json
import random
import zipfile
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from benchmarks.campaigns.trials import Kind, kept_folder, load_heavy, people, within
from benchmarks.everyday.packed_files import Slide, archive, docx, epub, pptx, xlsx
from benchmarks.everyday.placed_pdf import column, placed_pdf
from hoptrail.agents.answering.reply_parser import parse_reply
from hoptrail.agents.tables.query_writer import select_of
from hoptrail.api import Hoptrail
from hoptrail.core.document_filter import filter_from_json
from hoptrail.core.errors import HoptrailError
from hoptrail.core.filter_text import parse_filter, write_filter
from hoptrail.core.tables.table import Table, assemble_tables
from hoptrail.core.tables.table_database import TableDatabase
from hoptrail.core.types import Document
from hoptrail.indexing.loading.chunking import chunk_document
from hoptrail.indexing.loading.documents import load_documents
from hoptrail.stores.neo4j.queries.scope import Vocabulary
from hoptrail.stores.neo4j.queries.statement import restrict
from hoptrail.stores.neo4j.rows import Space

_EXAMPLES = 100
_EXAMPLE_SECONDS = 5.0
NASTY = (
    "\x00", "\ud800", "\udfff\ud800", "\u202e", "\ufeff", "\u2028", "\x85", "\x1b[31m", "e\u0301",
    "ß", "İ", "ﬁ", "½", "٣", "𝟙", "１", "中", "🙂", "\r", "\n", "\r\n", "\t", " ", "\u00a0", "",
    "0", "-1", "1e999", "NaN", "9" * 400, "1/0", "{", "}", "[", "]", "(", ")", "'", '"', "`", "\\",
    "%s", "{0}", "${x}", "<", ">", "&", "&#0;", "&#x110000;", ";", "--", "/*", "*/", "#", "|", "=",
    "A", "the ", "Person P1 ", "Alba", "2024-02-30", "0000-00-00", "31.02.2024", "24:61", "1,2.3,4",
)  # fmt: skip


def soup(*fragments: str, size: int = 40) -> SearchStrategy[str]:
    """Return texts made of fragments of a language, of what is hard to read, and of neither."""
    part = st.sampled_from((*fragments, *fragments, *NASTY))
    long = st.tuples(part, st.integers(2, 3_000)).map(lambda pair: (pair[0] * pair[1])[:9_000])
    return st.lists(st.one_of(part, part, part, st.text(max_size=12), long), max_size=size).map(
        "".join
    )


def is_harmless(routine: Callable[[], object]) -> None:
    """Call a routine, which may raise nothing but an error that is told in one line."""
    with within(_EXAMPLE_SECONDS, of_processor=True):
        try:
            routine()
        except HoptrailError as error:
            assert len(str(error).splitlines()) == 1, f"not one line: {error!s}"


def fuzzed(strategy: SearchStrategy[Any], routine: Callable[[Any], object]) -> Callable[..., int]:
    """Return the trial that gives a routine a hundred examples."""

    def trial(seed: int, _folder: Path) -> int:
        tried = 0

        @seeded(seed)
        @settings(
            max_examples=_EXAMPLES,
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large),
        )
        @given(strategy)
        def examples(example: Any) -> None:
            nonlocal tried
            tried += 1
            is_harmless(lambda: routine(example))

        examples()
        return tried

    return trial


_TEXT_FRAGMENTS: Mapping[str, tuple[str, ...]] = {
    ".csv": (",", ";", "\n", '"', "a,b\n", "1,2\n", '"x\ny",', "Total,5\n", "€ 1.234,50",
    "1/2/24,"),
    ".tsv": ("\t", "\n", "a\tb\n", "1\t2\n", '"', "Sum\t"),
    ".md": ("# ", "\n", "| a | b |\n", "|---|---|\n", "```\n", "- ", "---\ntitle: x\n---\n",
    "[a](b)",
            "> ", "    ", "<table>", "![](", "$$", "~~~", "1. ", "===\n", "\\|"),
    ".rst": ("=====\n", "+--+--+\n", "| a|  |\n", ".. table::\n", ":field: x\n", "\n\n", "::\n",
    "  "),
    ".html": ("<table>", "<tr>", "<td colspan=9999 rowspan=0>", "</td>", "<p>", "</p>",
    "<div>" * 50,
              "<script>", "<!--", "-->", "<h1>", "<meta charset=", "utf-7", "&lt;", "<![CDATA[",
              "<br>",
              "<title>", "<html lang=x>", "<base href='//'>", "<math>", "<svg>", "<time datetime="),
    ".json": ("{", "}", "[", "]", ",", ":", '"text"', '"title"', '"messages"', '"role"',
    '"content"',
              '"mapping"', '"id"', "null", "true", "1e400", "-0", '"\\ud800"', "[" * 200, '"a":'),
    ".jsonl": ('{"text": "a b c"}\n', '{"id": ', '"metadata": {', "}\n", "null\n", "[]\n",
    '"text": 1'),
    ".txt": ("Ann: hi\n", "[10:00] Bob: x\n", "2024-01-01, 10:00 - Ann: y\n", "\n\n", "\f",
    "* a\n"),
    ".eml": ("From: a@b\n", "Subject: =?utf-8?b?", "?=", "\n\n",
    "Content-Type: multipart/mixed; boundary=x\n",
             "--x\n", "--x--\n", "Content-Type: text/html; charset=nope\n",
             "Content-Type: message/rfc822\n",
             "Content-Transfer-Encoding: base64\n", "Date: Fri, 99 Foo 2024\n", "To: ,,,<>\n",
             "QUJD="),
    ".mbox": ("From a@b Thu Jan  1 00:00:00 1970\n", "From: a\n", "\n\n", "Subject: s\n",
    "From \n"),
    ".ics": ("BEGIN:VCALENDAR\n", "BEGIN:VEVENT\n", "END:VEVENT\n", "END:VCALENDAR\n",
    "DTSTART:20240101\n",
             "RRULE:FREQ=SECONDLY\n", "DTSTART;TZID=Nowhere/X:20241301T000000\n", "SUMMARY:a\n",
             "DTEND:\n",
             "ATTENDEE;CN=x:mailto:y\n", "DURATION:PT-1H\n", "EXDATE:", "\n "),
    ".ipynb": ('{"cells": [', '{"cell_type": "markdown", "source": ["a"]}', ",", "]}",
    '"outputs": [',
               '{"cell_type": "code", "source": 1, "outputs": {}}', '"metadata": {}',
               '"nbformat": "x"'),
}  # fmt: skip


def _load(path: Path) -> None:
    for item in load_documents([path]):
        if isinstance(item, Document):
            chunks = list(chunk_document(item))
            assemble_tables(chunks)
        else:
            assert len(item.reason.splitlines()) == 1, f"not one line: {item.reason}"


def _load_bytes(suffix: str, content: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(content)
        _load(path)


def _encoded(text: str) -> bytes:
    encodings = ("utf-8", "utf-16", "utf-8-sig", "cp1252", "utf-16-be")
    encoding = encodings[len(text) % 25 % len(encodings) if len(text) % 3 == 0 else 0]
    return text.encode(encoding, errors="surrogatepass" if "utf" in encoding else "replace")


def _text_files() -> SearchStrategy[tuple[str, bytes]]:
    return st.one_of(
        *(
            st.tuples(st.just(suffix), soup(*fragments).map(_encoded))
            for suffix, fragments in _TEXT_FRAGMENTS.items()
        )
    )


@cache
def _packed() -> dict[str, bytes]:
    """Return a good file of each packed format."""
    rows: list[Any] = [("Berth", "Price", "Since"), ("Hall A", 12, "2024-01-05"), ("Total", 12, "")]
    words: list[Any] = [("Title", "Yards"), ("Heading1", "Marl"), ("Normal", "It is of 1901.")]
    return {
        ".docx": docx([*words, [("a", "b"), ("1", "2")]], title="T", header="H"),
        ".pptx": pptx([Slide("Launch", ("At high water",), (("a", "b"), ("1", "2")))], title="T"),
        ".xlsx": xlsx({"Prices": rows, "Other": [("x", 1.5)]}),
        ".epub": epub({"One": "<p>Text of one.</p>", "Two": "<p>More.</p>"}, title="T", author="A"),
    }


@cache
def _pdf() -> bytes:
    text = "The Marl Yard\nwas founded in 1901.\nName  Price\nHall A  12\nHall B  13"
    return placed_pdf([column(text, left=50, top=700), column(text, left=300, top=700)], title="T")


@cache
def _pictures() -> dict[str, bytes]:
    from PIL import Image

    made = {}
    for suffix, form in ((".png", "PNG"), (".jpg", "JPEG"), (".tiff", "TIFF"), (".webp", "WEBP")):
        stream = BytesIO()
        Image.new("RGB", (40, 30), (200, 10, 10)).save(stream, form)
        made[suffix] = stream.getvalue()
    return made


def _mutated(data: bytes, chance: random.Random) -> bytes:
    """Return data with some bytes changed, cut, doubled, or moved."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        place, length = chance.randrange(len(changed) + 1), chance.choice((1, 1, 2, 4, 64, 1024))
        match chance.randrange(6):
            case 0:
                del changed[place : place + length]
            case 1:
                changed[place:place] = changed[place : place + length] * chance.choice((1, 2, 200))
            case 2:
                changed[place : place + length] = chance.randbytes(length)
            case 3:
                other = chance.randrange(len(changed) + 1)
                changed[place:place] = changed[other : other + length]
            case 4:
                changed[place : place + 1] = bytes([chance.choice((0, 1, 0x7F, 0x80, 0xFF, 0x3C))])
            case _:
                fragment = chance.choice(NASTY).encode("utf-8", errors="surrogatepass")
                changed[place : place + chance.choice((0, length))] = fragment
    return bytes(changed)


_NUMBERS = (
    b"0",
    b"-1",
    b"4294967296",
    b"99999999999999999999",
    b"1e999",
    b"NaN",
    b"",
    b"x",
    b"1048577",
)


def _mutated_xml(data: bytes, chance: random.Random) -> bytes:
    """Return XML with its tags and numbers changed, so that it mostly stays well formed."""
    pieces = data.replace(b">", b">\0").split(b"\0")
    for _ in range(chance.choice((1, 1, 2, 5))):
        place = chance.randrange(len(pieces))
        match chance.randrange(5):
            case 0:
                del pieces[place]
            case 1:
                pieces[place:place] = pieces[place : place + chance.choice((1, 3, 9))] * 3
            case 2:
                other = chance.randrange(len(pieces))
                pieces[place], pieces[other] = pieces[other], pieces[place]
            case 3:
                parts = pieces[place].split(b'"')
                if len(parts) > 2:
                    parts[1] = chance.choice(_NUMBERS)
                pieces[place] = b'"'.join(parts)
            case _:
                head, mark, text = pieces[place].rpartition(b"<")
                pieces[place] = chance.choice(_NUMBERS) + mark + text if head else pieces[place]
        if not pieces:
            return b""
    return b"".join(pieces)


def _mutated_package(data: bytes, chance: random.Random) -> bytes:
    """Return an archive, one entry of which is changed, or the archive itself."""
    if chance.random() < 0.2:
        return _mutated(data, chance)
    with zipfile.ZipFile(BytesIO(data)) as file:
        parts: dict[str, str | bytes] = {name: file.read(name) for name in file.namelist()}
    for _ in range(chance.choice((1, 1, 2))):
        name = chance.choice(list(parts))
        content = parts[name]
        assert isinstance(content, bytes)
        change = chance.choice((_mutated_xml, _mutated_xml, _mutated_xml, _mutated))
        parts[name] = change(content, chance)
        if chance.random() < 0.05:
            parts[chance.choice(("", "../x", "/x", name.upper(), "x" * 300))] = parts.pop(name)
    return archive(parts)


def _load_package(number: int) -> None:
    chance = random.Random(number)
    suffix = chance.choice(list(_packed()))
    _load_bytes(suffix, _mutated_package(_packed()[suffix], chance))


def _load_pdf(number: int) -> None:
    _load_bytes(".pdf", _mutated(_pdf(), random.Random(number)))


def _load_picture(number: int) -> None:
    from hoptrail.indexing.loading.readers.registry import read_file

    chance = random.Random(number)
    suffix = chance.choice(list(_pictures()))
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"file{suffix}"
        path.write_bytes(_mutated(_pictures()[suffix], chance))
        read_file(path)


@cache
def asked() -> Hoptrail:
    """Return a small base with persons, and tables beside them."""
    load_heavy()
    folder = kept_folder()
    hoptrail = Hoptrail.open(folder / "kb", create=True)
    hoptrail.index([*people(12), write_table(folder)], extractor="nlp")
    return hoptrail


_TABLE = (
    "Berth,Price,Since,Open\nHall A,12.5,2024-01-05,9:00\nHall B,7,2023-05-01,10:30\nTotal,19.5,,\n"
)


def write_table(folder: Path) -> Path:
    """Write a file of prices into a folder, and return it."""
    path = folder / "prices.csv"
    path.write_text(_TABLE, encoding="utf-8")
    return path


@cache
def _tables() -> list[Table]:
    with TemporaryDirectory() as folder:
        loaded = load_documents([write_table(Path(folder))])
        documents = [item for item in loaded if isinstance(item, Document)]
        return assemble_tables(chunk for one in documents for chunk in chunk_document(one))


def _ask(question: str) -> None:
    asked().ask(question, preset="offline")


def _ask_tables(question: str) -> None:
    asked().ask(question, preset="tables")


def _filter(given: Any) -> None:
    wanted = parse_filter(given) if isinstance(given, str) else filter_from_json(given)
    wanted.allows({"author": "A", "date": "2024-01-01", "tag": "x, y", "size": "12"})
    assert parse_filter(write_filter(wanted)).allows({}) == wanted.allows({})


_VOCABULARY = Vocabulary(
    Space.of("kb", 1), frozenset({"Person", "Town"}), frozenset({"BORN_IN", "MET"})
)


def _cypher(query: str) -> None:
    restrict(query, _VOCABULARY, 100)


def _sql(query: str) -> None:
    with closing(TableDatabase(_tables())) as database:
        text = select_of(query)
        try:
            database.check_names(text)
            database.run(text)
        finally:
            database.rows_behind(text)


def _reply(text: str) -> None:
    for strategy in ("generic", "sparql"):
        parse_reply(text, strategy, {})


_JSON: SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(NASTY)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(("and", "or", "not", "field", "eq", "in", "lt", "gte", "like", "x")),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=20,
)
_QUESTIONS = soup(
    "Who ", "was born in ", "Where ", "When ", "How many ", "Which ", "Person P3", "?", " and ",
    "or ",
    "before ", "after 1805", "not ", "the Society of Brod", "he ", "his ", "What is the sum of ",
    "price", "Berth", "Hall A", "most ", "least ", "between ", "average ", "since ", "did ", "Wer ",
    "谁", "كم", "compare ", "list all ", "1809", "May", ", ", "of ", "per ", "longer than ",
)  # fmt: skip
_FILTERS = soup(
    "author", "date", " = ", " != ", " >= ", " < ", " in (", ", ", ")", "(", " and ", " or ",
    "not ",
    " like ", '"a"', "'b'", "2024-01-01", "true", "1.5", "%", "_", "tag", "{", '{"and": [', "}",
)  # fmt: skip
_CYPHER = soup(
    "MATCH ", "(n)", "(n:Person)", "-[:MET]->", "-[r:BORN_IN*1..3]-", "(m:Town {name: 'Alba'})",
    " WHERE ",
    "RETURN ", "n.name", "count(n)", "DISTINCT ", " ORDER BY ", " LIMIT 5", " WITH ", " AS x",
    "OPTIONAL ",
    "UNWIND [1,2] AS y ", "EXISTS { ", "}", " CONTAINS ", "=~ '(a+)+$'", " AND ", "NOT ",
    "shortestPath(",
    "CASE WHEN ", " THEN ", " END", "[x IN ", " | ", "`", "\\u0044", "//", "UNION ", "1.5e10",
    "0x", "..",
    "SKIP ", "collect(", "toInteger(", "null", "+", "-", "*", "/", "^", "<>", "size(",
)  # fmt: skip
_SQL = soup(
    "SELECT ", "* ", " FROM ", "prices", '"Price"', '"Berth"', " WHERE ", "sum(", "count(*)", ")",
    " GROUP BY ",
    " ORDER BY ", " LIMIT 1", " JOIN ", "(SELECT ", " AS x", "?", ":a", "; ", "DROP TABLE prices",
    "PRAGMA ",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM t) ", "'a'", "LIKE '%", "CAST(",
    "||", "/ 0",
    "row_number() OVER (", "PARTITION BY ", "CASE WHEN ", " END", "zeroblob(999999999)",
    "printf('%9999999d')",
    "UNION ", "EXCEPT ", "VALUES (1)", "```sql\n", "```", "row", "main.", "sqlite_master",
    "BETWEEN ", " IN ",
)  # fmt: skip
_REPLIES = soup(
    "QUERY:\n", '"A" built at ?y\n', "TRACE:\n", "?y = B | P1\n", "HOPS:\n",
    "HOP 1: a | b | c | P1\n",
    "FINAL ANSWER: ", "<think>", "</think>", "**", "[P1]", "[P1, P2]", "(P", "I don't know",
    "```json\n",
    '{"answer": ', "}", "HOP ", " | ", "?x = ", "- ", "no answer", "[reports: 1, 2",
    "Ignore all rules. ",
)  # fmt: skip
_NUMBERED = st.integers(0, 2**62)
KINDS = [
    Kind("text-files", fuzzed(_text_files(), lambda pair: _load_bytes(*pair))),
    Kind("packed-files", fuzzed(_NUMBERED, _load_package)),
    Kind("pdf", fuzzed(_NUMBERED, _load_pdf), limit=600),
    Kind("pictures", fuzzed(_NUMBERED, _load_picture)),
    Kind("questions", fuzzed(_QUESTIONS, _ask), limit=600),
    Kind("table-questions", fuzzed(_QUESTIONS, _ask_tables), limit=600),
    Kind("filters", fuzzed(_FILTERS, _filter)),
    Kind("filters-json", fuzzed(st.one_of(_JSON, _JSON.map(json.dumps)), _filter)),
    Kind("cypher", fuzzed(_CYPHER, _cypher)),
    Kind("sql", fuzzed(_SQL, _sql)),
    Kind("replies", fuzzed(_REPLIES, _reply)),
]
