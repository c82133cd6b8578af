"""Documents of a boatyard in the formats that the other everyday documents lack, and spot checks.

    python -m benchmarks.everyday.formats OUT

writes the everyday documents and these beside them, under `OUT/documents`. Organisation, people and
places are invented. Those of plain text stand in `yard/files`, the checks in `yard/checks.json`. A
check names a file, a text that must be read from it, the place that a citation of this text gives,
and the document's title; `ABSENT` names texts that are no part of what a document says, `SKIPPED`
files that cannot be read and a word that their reason must hold.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import NamedTuple

if not __package__:  # run as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.everyday import generate
from benchmarks.everyday.packed_files import Slide, docx, epub, pptx, xlsx
from benchmarks.everyday.placed_pdf import Line, column, placed_pdf

FOLDER = "yard"
_YARD = Path(__file__).parent / FOLDER


class Check(NamedTuple):
    """A text that must be read from a file, with its place and the title of the document."""

    file: str
    text: str
    place: str | None
    title: str


HANDBOOK = docx(
    [
        ("Title", "Yard handbook"),
        ("Heading1", "Lifting boats"),
        (
            "Normal",
            "The travel lift carries 40 tonnes. Its operator is Ragna Solberg, trained at Ulvik.",
        ),
        ("Heading2", "Before the lift"),
        ("ListBullet", "Close every seacock."),
        ("ListBullet", "Take down the backstay."),
        ("Heading1", "Sheds"),
        [
            ("Shed", "Foreman", "Length"),
            ("Tar shed", "Eskil Brandvold", "62 m"),
            ("Glass shed", "Ylva Norheim", "38 m"),
        ],
        ("Normal", "The tar shed was built in 1911\nby the shipwright Anders Fosse."),
    ],
    title="Yard handbook",
    header="Ormsund Boatyard - internal - do not copy",
)

MINUTES = docx(
    [
        ("Heading1", "Minutes of the yard council, 4 March"),
        ("Normal", "Present: Ragna Solberg, Eskil Brandvold, Ylva Norheim."),
        ("Normal", "The council chose Tveit Marine as the supplier of winter covers."),
    ],
    title="Microsoft Word - Document1",
)

OFFER = docx(
    [
        ("Title", "Offer 318"),
        ("Normal", "Re-planking the ketch Sula costs 412,000 crowns."),
    ],
    macros=True,
)

LAUNCH = pptx(
    [
        Slide(
            "Launch of the Havørn", ("Launched on 9 June at high water", "Godmother: Tora Lindvik")
        ),
        Slide(),
        Slide(
            "Who built what",
            table=(("Part", "Builder"), ("Mast", "Jostein Aasen"), ("Sails", "Seglmaker Dyrdal")),
            notes="Thank the riggers, above all Mette Kvamme.",
        ),
    ],
    title="PowerPoint Presentation",
)

PRICES = xlsx(
    {
        "Storage": [
            ("Prices for the winter",),
            (),
            ("Berth", "Metres", "Price", "From"),
            ("Hall A", 12, 18400, "day 45566"),
            ("Hall B", 9.5, 13250.5, "day 45567"),
            ("Slip", 7, "=C4-9000|9400", None),
        ],
        "Empty": [],
        "Paint": [
            ("Paint", "Supplier"),
            ("Red lead", "Nordlys Farver"),
            ("Bottom black", "Skagen Coatings"),
        ],
    },
    title="Winter prices",
)

BOOK = epub(
    {
        "The first keel": "<p>In 1887 Lars Ormsund laid his first keel on a beach "
        "below Hestvik.</p>",
        "Two fires": "<p>The yard burnt in 1903 and again in 1922.</p><p>After the second fire "
        "his daughter <em>Sigrid</em> Ormsund rebuilt it in stone.</p>",
    },
    title="A yard and its boats",
    author="Magnhild Tangen",
)

_LEFT = """\
Old hulls are dried for a year. The
planks are then fastened with larch tree-
nails, which Eskil Brandvold turns him-
self in the tar shed.

The seams are caulked with cotton.
"""
_RIGHT = """\
A second team fits the deck. It is led by
Ylva Norheim, who learned the trade in
Risør.

Decks are of Oregon pine.
"""


def _running(page: int) -> list[Line]:
    return [
        Line(64, 800, "Ormsund Papers, Volume 7", 8),
        Line(64, 40, f"Page {page} of 3", 8),
    ]


TWO_COLUMNS = placed_pdf(
    [
        [
            *_running(1),
            Line(64, 760, "How we restore wooden hulls", 16),
            *column(_LEFT, left=64, top=720),
            *column(_RIGHT, left=310, top=720),
        ],
        [
            *_running(2),
            *column(
                "The work is surveyed by Birk\nLothe of the Hestvik Society.", left=64, top=720
            ),
            *column("Surveys take two days.", left=310, top=720),
        ],
        [*_running(3), *column("Printed by Trykkeriet Fjord.", left=64, top=720)],
    ],
    title="(anonymous)",
)

MANUAL = placed_pdf(
    [
        [
            Line(64, 800, "Operating manual", 8),
            Line(64, 740, "Travel lift TL-40", 18),
            *column("The slings are changed every\nfive years.", left=64, top=700),
            Line(290, 40, "1", 8),
        ],
        [],
        [
            Line(64, 800, "Operating manual", 8),
            *column("The engine is a Sabre 6 of\n118 kilowatts.", left=64, top=700),
            Line(290, 40, "3", 8),
        ],
    ],
    title="Microsoft Word - manual_v3.doc",
)

SCRIPT = '"""Move the lift."""\n\nAPI_KEY = "zx-4471"\n\n\ndef move(metres):\n    return metres\n'

OLE_HEAD = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504)

FILES: dict[str, bytes] = {
    **{path.name: path.read_bytes() for path in sorted((_YARD / "files").iterdir())},
    "handbook.docx": HANDBOOK,
    "minutes.docx": MINUTES,
    "offer.docm": OFFER,
    "launch.pptx": LAUNCH,
    "prices.xlsx": PRICES,
    "book.epub": BOOK,
    "two_columns.pdf": TWO_COLUMNS,
    "manual.pdf": MANUAL,
    "lift.py": SCRIPT.encode(),
    "scan.pdf": placed_pdf([[], []]),
    "locked.pdf": placed_pdf([column("Nobody reads this.", left=64, top=700)], locked=True),
    "locked.xlsx": OLE_HEAD + "EncryptedPackage".encode("utf-16-le") + bytes(480),
    "old.doc": OLE_HEAD + "WordDocument".encode("utf-16-le") + bytes(488),
    "photo.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
}

_READ = json.loads((_YARD / "checks.json").read_text(encoding="utf-8"))
CHECKS = tuple(Check(*check) for check in _READ["checks"])
ABSENT: tuple[tuple[str, str], ...] = tuple((name, text) for name, text in _READ["absent"])
SKIPPED: dict[str, str] = _READ["skipped"]


def write(out: Path) -> None:
    """Write the everyday documents and those of this module under `OUT/documents`."""
    generate.write(out)
    folder = out / "documents" / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in FILES.items():
        (folder / name).write_bytes(data)


def main() -> int:
    """Write the folder that the command line names."""
    parser = argparse.ArgumentParser(description="Write everyday documents of every format.")
    parser.add_argument("out", type=Path, help="the folder to write, made if it is not there")
    write(parser.parse_args().out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
