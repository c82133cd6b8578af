"""Documents of a boatyard in the formats that the other everyday documents lack, and spot checks.

    python -m benchmarks.everyday.formats OUT

writes the everyday documents and these beside them, under `OUT/documents`. Organisation, people and
places are invented. A check names a file, a text that must be read from it, the place that a
citation of this text gives, and the document's title; `ABSENT` names texts that are no part of what
a document says, `SKIPPED` files that cannot be read and a word that their reason must hold.
"""

from __future__ import annotations

import argparse
import base64
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

CREW = "Navn;Ansvar;Telefon\nJørgen Bøe;Maskiner;55 12 04\nÅse Hjelle;Rigg;55 12 09\n".encode(
    "latin-1"
)

SUPPLIERS = (
    "\ufeffSupplier,Goods,Remark\n"
    'Tveit Marine,Winter covers,"Delivers in two weeks,\nnever on Fridays"\n'
    "Bergtun Oak,Oak planks,\n"
)

TIDES_TSV = "Port\tHigh water\nOrmsund\t06:41\nHestvik\t07:05\n"

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

ORDER = """\
From: =?utf-8?q?J=C3=B8rgen_B=C3=B8e?= <jb@ormsund.example>
To: sales@tveit.example
Subject: =?utf-8?q?Order_of_covers_for_the_Hav=C3=B8rn?=
Date: Tue, 05 Mar 2024 09:12:00 +0100
Message-ID: <7781.ab@ormsund.example>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="outer"

--outer
Content-Type: multipart/alternative; boundary="inner"

--inner
Content-Type: text/plain; charset="utf-8"
Content-Transfer-Encoding: quoted-printable

Please send three covers to the gl=C3=A5ss shed. The colour is storm =
grey.
--inner
Content-Type: text/html; charset="utf-8"

<p>Please send <b>three covers</b>.</p>
--inner--
--outer
Content-Type: text/plain; charset="utf-8"; name="sizes.txt"
Content-Disposition: attachment; filename="sizes.txt"

The largest cover measures 14 by 5 metres.
--outer
Content-Type: image/png; name="logo.png"
Content-Disposition: attachment; filename="logo.png"
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--outer--
"""

REPLY = (
    "From: Unn Tveit <unn@tveit.example>\n"
    "Subject: Re: Order of covers\n"
    "Date: Wed, 06 Mar 2024 10:00:00 +0100\n"
    "MIME-Version: 1.0\n"
    "Content-Type: text/html; charset=utf-8\n"
    "Content-Transfer-Encoding: base64\n\n"
    + base64.encodebytes(
        "<html><body><p>The covers leave Bodø on 19 March with the lorry of Kåre Moen.</p>"
        "</body></html>".encode()
    ).decode()
)

SETTINGS = json.dumps(
    {
        "name": "Lift controller",
        "limits": {"load": 40000, "wind": 12.5},
        "contacts": [
            {"role": "service", "name": "Heidi Rasch"},
            {"role": "spare parts", "name": "Odd Vik"},
        ],
        "enabled": True,
    },
    indent=2,
)

GUIDE = """\
==================
Rigging a gaff sail
==================

.. contents:: On this page

Reeving
=======

The throat halyard is led through the **lower** block first, says
:ref:`the rigger <rigger>` Mette Kvamme.

.. note::

   Never reeve below 5 degrees.

.. list-table::
   :header-rows: 1

   * - Rope
     - Length
   * - Throat halyard
     - 34 m

.. code-block:: python

   hoist(sail)

.. _rigger: https://example.org/rigger
"""

NOTEBOOK = json.dumps(
    {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "cells": [
            {
                "cell_type": "markdown",
                "metadata": {},
                "source": ["# Tides at Ormsund\n", "\n", "Measured by Ylva Norheim."],
            },
            {
                "cell_type": "code",
                "execution_count": 1,
                "metadata": {},
                "source": ["secret_token = 'x81'\n", "print(levels.max())"],
                "outputs": [
                    {"output_type": "stream", "name": "stdout", "text": ["highest level 2.84 m\n"]},
                    {
                        "output_type": "display_data",
                        "metadata": {},
                        "data": {"image/png": "iVBORw0KGgo="},
                    },
                ],
            },
            {
                "cell_type": "markdown",
                "metadata": {},
                "source": "The gauge hangs on the **north** pier.",
            },
        ],
    }
)

WEB = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The yard | Ormsund Boatyard</title>
<script>var tracker = "never shown";</script></head>
<body>
<div id="cookie-banner" role="dialog"><p>We use cookies to make our site better.</p>
<button>Accept all</button></div>
<nav><ul><li><a href="/">Home</a></li>
<li><a href="/boats">Boats</a></li><li><a href="/jobs">Careers</a></li></ul></nav>
<main><article>
<h1>About the yard</h1>
<p>Ormsund Boatyard repairs wooden boats in <a href="/l">Lower Ormsund</a>. It has done so since
Lars Ormsund laid his first keel, and it still owns the beach on which that keel lay.</p>
<h2>People</h2>
<p>The yard is led by <b>Ragna</b> Solberg. Forty people work in two sheds, and in summer a dozen
apprentices join them for ten weeks.</p>
<table><tr><th>Shed</th><th>Phone</th></tr><tr><td>Tar shed</td><td>55 12 30</td></tr></table>
<ul><li>Planking by Eskil Brandvold</li><li>Rigging by Mette Kvamme</li></ul>
</article>
<aside><h3>Related</h3><p>Ten knots that every sailor should know</p></aside></main>
<footer><p>Copyright Ormsund Boatyard. Follow us on Facebook.</p></footer>
</body></html>
"""

SHORT_PAGE = """\
<html><head><title>Opening hours</title></head><body>
<h1>Opening hours</h1><p>The chandlery opens at 07:30.</p></body></html>
"""

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

FRONT = """\
---
title: Care of tarred hulls
tags: [tar, hull]
owner: Eskil Brandvold
---

Tar is laid on warm and thin.

## Mixing

| Season | Tar | Oil |
| ------ | --- | --- |
| Spring | 2 l | 1 l |
| Autumn | 3 l | 2 l |

See [the old recipe](https://example.org/tar) of *Sigrid* Ormsund.
"""

SCRIPT = '"""Move the lift."""\n\nAPI_KEY = "zx-4471"\n\n\ndef move(metres):\n    return metres\n'

OLE_HEAD = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504)

FILES: dict[str, bytes] = {
    "handbook.docx": HANDBOOK,
    "minutes.docx": MINUTES,
    "offer.docm": OFFER,
    "launch.pptx": LAUNCH,
    "prices.xlsx": PRICES,
    "crew.csv": CREW,
    "suppliers.csv": SUPPLIERS.encode(),
    "high_water.tsv": TIDES_TSV.encode(),
    "book.epub": BOOK,
    "order.eml": ORDER.encode(),
    "reply.eml": REPLY.encode(),
    "settings.json": SETTINGS.encode(),
    "guide.rst": GUIDE.encode(),
    "tides.ipynb": NOTEBOOK.encode(),
    "about.html": WEB.encode(),
    "hours.html": SHORT_PAGE.encode(),
    "two_columns.pdf": TWO_COLUMNS,
    "manual.pdf": MANUAL,
    "tar.md": FRONT.encode(),
    "note_latin1.txt": "Verkstedmøte\n\nÅse Hjelle får nøkkelen til riggloftet på lørdag.\n".encode(
        "latin-1"
    ),
    "note_utf16.txt": "Winter watch\n\nThe watch in February is kept by Øystein Rud.\n".encode(
        "utf-16"
    ),
    "note_quotes.txt": (
        "Sail loft\n\n"
        "The loft\u2019s oldest sail \u2013 the \u201cBrown Jib\u201d \u2013 hangs there.\n"
    ).encode("cp1252"),
    "lift.py": SCRIPT.encode(),
    "scan.pdf": placed_pdf([[], []]),
    "locked.pdf": placed_pdf([column("Nobody reads this.", left=64, top=700)], locked=True),
    "locked.xlsx": OLE_HEAD + "EncryptedPackage".encode("utf-16-le") + bytes(480),
    "old.doc": OLE_HEAD + "WordDocument".encode("utf-16-le") + bytes(488),
    "photo.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
}

_BOOK_TITLE = "A yard and its boats"
_MANUAL_TITLE = "Travel lift TL-40"
_PAPER_TITLE = "How we restore wooden hulls"
_ORDER_TITLE = "Order of covers for the Havørn"

CHECKS = (
    Check("handbook.docx", "The travel lift carries 40 tonnes.", None, "Yard handbook"),
    Check("handbook.docx", "Close every seacock.", None, "Yard handbook"),
    Check(
        "handbook.docx",
        "Shed: Tar shed; Foreman: Eskil Brandvold; Length: 62 m",
        None,
        "Yard handbook",
    ),
    Check("handbook.docx", "built in 1911 by the shipwright Anders Fosse.", None, "Yard handbook"),
    Check(
        "minutes.docx",
        "The council chose Tveit Marine",
        None,
        "Minutes of the yard council, 4 March",
    ),
    Check("offer.docm", "Re-planking the ketch Sula costs 412,000 crowns.", None, "Offer 318"),
    Check("launch.pptx", "Godmother: Tora Lindvik", "slide 1", "Launch of the Havørn"),
    Check("launch.pptx", "Part: Mast; Builder: Jostein Aasen", "slide 3", "Launch of the Havørn"),
    Check(
        "launch.pptx",
        "Thank the riggers, above all Mette Kvamme.",
        "slide 3",
        "Launch of the Havørn",
    ),
    Check(
        "prices.xlsx",
        "Berth: Hall A; Metres: 12; Price: 18400; From: 2024-10-01",
        "sheet Storage, row 4",
        "Winter prices",
    ),
    Check(
        "prices.xlsx",
        "Berth: Hall B; Metres: 9.5; Price: 13250.5",
        "sheet Storage, row 5",
        "Winter prices",
    ),
    Check(
        "prices.xlsx",
        "Berth: Slip; Metres: 7; Price: 9400",
        "sheet Storage, row 6",
        "Winter prices",
    ),
    Check(
        "prices.xlsx",
        "Paint: Bottom black; Supplier: Skagen Coatings",
        "sheet Paint, row 3",
        "Winter prices",
    ),
    Check("crew.csv", "Navn: Åse Hjelle; Ansvar: Rigg; Telefon: 55 12 09", "row 3", "crew"),
    Check(
        "suppliers.csv",
        "Goods: Winter covers; Remark: Delivers in two weeks, never on Fridays",
        "row 2",
        "suppliers",
    ),
    Check("suppliers.csv", "Supplier: Bergtun Oak; Goods: Oak planks", "row 3", "suppliers"),
    Check("high_water.tsv", "Port: Hestvik; High water: 07:05", "row 3", "high water"),
    Check(
        "book.epub",
        "laid his first keel on a beach below Hestvik.",
        "chapter The first keel",
        _BOOK_TITLE,
    ),
    Check(
        "book.epub",
        "his daughter Sigrid Ormsund rebuilt it in stone.",
        "chapter Two fires",
        _BOOK_TITLE,
    ),
    Check(
        "order.eml",
        "Please send three covers to the glåss shed. The colour is storm grey.",
        None,
        _ORDER_TITLE,
    ),
    Check("order.eml", "From: Jørgen Bøe", None, _ORDER_TITLE),
    Check(
        "order.eml",
        "The largest cover measures 14 by 5 metres.",
        "attachment sizes.txt",
        _ORDER_TITLE,
    ),
    Check(
        "reply.eml",
        "The covers leave Bodø on 19 March with the lorry of Kåre Moen.",
        None,
        "Re: Order of covers",
    ),
    Check("settings.json", "limits: load: 40000; wind: 12.5", None, "Lift controller"),
    Check("settings.json", "role: service; name: Heidi Rasch", None, "Lift controller"),
    Check(
        "guide.rst",
        "led through the lower block first, says the rigger Mette Kvamme.",
        None,
        "Rigging a gaff sail",
    ),
    Check("guide.rst", "Never reeve below 5 degrees.", None, "Rigging a gaff sail"),
    Check("guide.rst", "Rope: Throat halyard; Length: 34 m", None, "Rigging a gaff sail"),
    Check("tides.ipynb", "Measured by Ylva Norheim.", "cell 1", "Tides at Ormsund"),
    Check("tides.ipynb", "highest level 2.84 m", "cell 2", "Tides at Ormsund"),
    Check("tides.ipynb", "The gauge hangs on the north pier.", "cell 3", "Tides at Ormsund"),
    Check(
        "about.html",
        "Ormsund Boatyard repairs wooden boats in Lower Ormsund.",
        None,
        "About the yard",
    ),
    Check("about.html", "The yard is led by Ragna Solberg.", None, "About the yard"),
    Check("about.html", "Shed: Tar shed; Phone: 55 12 30", None, "About the yard"),
    Check("about.html", "Rigging by Mette Kvamme", None, "About the yard"),
    Check("hours.html", "The chandlery opens at 07:30.", None, "Opening hours"),
    Check(
        "two_columns.pdf",
        "fastened with larch treenails, which Eskil Brandvold turns himself in the tar shed.",
        "page 1",
        _PAPER_TITLE,
    ),
    Check(
        "two_columns.pdf",
        "It is led by Ylva Norheim, who learned the trade in Risør.",
        "page 1",
        _PAPER_TITLE,
    ),
    Check(
        "two_columns.pdf", "surveyed by Birk Lothe of the Hestvik Society.", "page 2", _PAPER_TITLE
    ),
    Check("two_columns.pdf", "Printed by Trykkeriet Fjord.", "page 3", _PAPER_TITLE),
    Check("manual.pdf", "The slings are changed every five years.", "page 1", _MANUAL_TITLE),
    Check("manual.pdf", "The engine is a Sabre 6 of 118 kilowatts.", "page 3", _MANUAL_TITLE),
    Check("tar.md", "Tar is laid on warm and thin.", None, "Care of tarred hulls"),
    Check("tar.md", "Season: Autumn; Tar: 3 l; Oil: 2 l", None, "Care of tarred hulls"),
    Check("tar.md", "owner: Eskil Brandvold", None, "Care of tarred hulls"),
    Check("tar.md", "See the old recipe of Sigrid Ormsund.", None, "Care of tarred hulls"),
    Check(
        "note_latin1.txt", "Åse Hjelle får nøkkelen til riggloftet på lørdag.", None, "Verkstedmøte"
    ),
    Check("note_utf16.txt", "The watch in February is kept by Øystein Rud.", None, "Winter watch"),
    Check(
        "note_quotes.txt",
        "The loft\u2019s oldest sail \u2013 the \u201cBrown Jib\u201d",
        None,
        "Sail loft",
    ),
)

ABSENT = (
    ("handbook.docx", "do not copy"),
    ("offer.docm", "AutoOpen"),
    ("book.epub", "Contents"),
    ("order.eml", "7781.ab"),
    ("order.eml", "iVBOR"),
    ("guide.rst", "list-table"),
    ("guide.rst", "On this page"),
    ("tides.ipynb", "iVBOR"),
    ("tides.ipynb", "secret_token"),
    ("about.html", "cookies"),
    ("about.html", "Careers"),
    ("about.html", "Ten knots"),
    ("about.html", "Facebook"),
    ("about.html", "tracker"),
    ("about.html", "About the yard Ormsund Boatyard"),
    ("two_columns.pdf", "Volume 7"),
    ("two_columns.pdf", "Page 2 of 3"),
    ("manual.pdf", "Operating manual"),
    ("tar.md", "| Spring"),
    ("tar.md", "example.org"),
)

SKIPPED = {
    "lift.py": "code",
    "scan.pdf": "no text was found",
    "locked.pdf": "password",
    "locked.xlsx": "password",
    "old.doc": ".docx",
    "photo.png": "picture",
}


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
