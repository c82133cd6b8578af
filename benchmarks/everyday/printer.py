"""Quill & Sorrel, a printing house with nine people and an old press."""

from __future__ import annotations

from benchmarks.everyday.material import Documents, none, one, two

LEASE = """\
LEASING CONTRACT NO. 88-1043

Lessor:  Fenwick Asset Finance plc, Holm
Lessee:  Quill & Sorrel Printers Ltd, 31 Tanner's Row, Bexford
Object:  digital press Rotalux 900, serial number RX-55120

1. The lease begins on 1 May 2024 and runs for 60 months.

2. The instalment is 1,185 euros a month plus VAT, due on the third
   working day. A late instalment bears interest of 9 per cent a year.

3. The Lessee has the press serviced by the maker, Rotalux Benelux, at
   least every six months.

4. At the end of the term the Lessee may buy the press for 6,400 euros.

5. The press must not leave the premises. It is insured by the Lessee
   for not less than 70,000 euros.

Signed: Dorothea Quill (managing director), for the Lessee
        P. Strand, for the Lessor
"""

PRICES = """\
# Price list, valid from 1 January 2025

All prices in euros without VAT. Delivery within Bexford is free, elsewhere 14.50.

| Product                     | 100    | 250    | 1,000  | Ready in |
|-----------------------------|--------|--------|--------|----------|
| Business cards              | 38.00  | 49.00  | 95.00  | 3 days   |
| Folded leaflets             | 84.00  | 128.00 | 240.00 | 4 days   |
| Wedding cards, letterpress  | 290.00 | 455.00 | -      | 3 weeks  |
| Posters A2                  | 145.00 | 260.00 | 690.00 | 2 days   |

## Paper

Our standard paper is Arvo 300 by the Lindström mill. Recycled paper costs ten per cent more.
Paper brought by the customer is printed at the customer's own risk.

## Rush jobs

Work that is needed on the same day costs half as much again. Ask Bettina first.
"""

JOBS = """\
job,customer,product,copies,due,handled by,status
2025-117,Bexford Choir,programmes,400,2025-03-14,Bettina Roos,delivered
2025-118,Kestle Dental,letterheads,2000,2025-03-17,Amir Sadeghi,printed
2025-119,Hotel Merle,menus,150,2025-03-18,Bettina Roos,waiting for proof
2025-120,Town of Bexford,ballot papers,9500,2025-03-21,Dorothea Quill,confidential
2025-121,Kestle Dental,appointment cards,5000,2025-03-24,Amir Sadeghi,paper missing
2025-122,Vera Lomax,wedding cards,120,2025-04-02,Noel Sorrel,proof approved
"""

MAILS = """\
From: Amir Sadeghi
To: Dorothea Quill
Cc: Bettina Roos
Date: 12 March 2025, 16:08
Subject: RE: the cutter

Dorothea,

the man from Polborough was here. It is the bearing; the blade is fine. He wants 740 euros for the
part
and the work, and can come on the 19th. His firm (Keel Engineering) is the only one that still has
bearings for a Schneider 76 of 1988.

Until then we have our cutting done by Papp & Co in Holm. Their boss is Irma Papp, you know her
from the
fair. They take 25 euros an hour.

Amir

-----Original Message-----
From: Dorothea Quill
Sent: 11 March 2025 09:15
Subject: the cutter

Amir, how long will the cutter be out? And who pays Kestle's reprint? The mistake on the cards was
theirs:
they had signed the proof. I don't want to hear that we pay for it.
"""

HISTORY = """\
<!doctype html>
<html lang="en"><head><title>About us | Quill &amp; Sorrel</title></head>
<body>
<div class="menu"><a href="/">Start</a> | <a href="/about">About us</a> | <a
href="/jobs">Jobs</a></div>
<h1>About us</h1>
<p>Quill &amp; Sorrel was set up in 1956 by Augustin Quill, a typesetter, and Maud Sorrel, who had
the
money. Today the firm is led by his granddaughter Dorothea. Nine people work here.</p>
<h2>The old press</h2>
<p>Our pride is a hand press of 1871. It was built by the Brothers Harnack in Leipzig and came to us
from a monastery. Wedding cards are printed on it by Noel Sorrel, who learned the craft from his
grandmother.</p>
<h2>Bettina Roos</h2>
<p>She is the voice on our telephone and has been in charge of orders since 2013. Before that she
ran
a bookshop in Holm. She collects misprints.</p>
<h2>Amir Sadeghi</h2>
<p>Head of the pressroom. He came as an apprentice in 2009 and has a master's certificate.</p>
<h2>Awards</h2>
<p>In 2022 our calendar of mills won the silver medal of the Guild of Printers. It was drawn by
Saskia
Vreeland.</p>
<div class="footer">31 Tanner's Row, Bexford. Telephone 0555 730 110. Open 8 to 17, Fridays to
14.</div>
</body></html>
"""

SAFETY = """\
PRESSROOM RULES                                     (A. Sadeghi, January 2025)

1. Nobody works at the cutter alone.
2. The emergency stop is the red mushroom to the left of the door.
3. Wash-up solvent (Solvex 12) is kept in the steel cabinet. No more
   than five litres may stand beside the press.
4. Ear plugs are worn as soon as the folder runs. They hang by the
   clock.
5. Rags go into the bin with the lid. It is emptied every evening by
   the last one to leave.
6. First aid: Noel Sorrel, and when he is away Bettina Roos.
7. The fire extinguishers are inspected each May by Brandwacht Holm.

An accident of 2023 showed why: a trainee lost a fingertip in the old
folder. The folder was scrapped that summer; the new one is a Horvath
T40 and has a guard.
"""

DOCUMENTS: Documents = {
    "leasing-88-1043.txt": LEASE,
    "price-list.md": PRICES,
    "jobs-march.csv": JOBS,
    "mail-cutter.txt": MAILS,
    "web/about.html": HISTORY,
    "pressroom-rules.txt": SAFETY,
}

QUESTIONS = (
    one(
        "How much do we pay every month for the digital press?",
        "1,185 euros a month",
        ("leasing-88-1043.txt", "The instalment is 1,185 euros a month plus VAT"),
        also=("1,185 euros", "1,185"),
    ),
    one(
        "For how long is the Rotalux leased?",
        "60 months",
        ("leasing-88-1043.txt", "runs for 60 months"),
        also=("five years",),
    ),
    one(
        "At what price can we take over the press in the end?",
        "6,400 euros",
        ("leasing-88-1043.txt", "may buy the press for 6,400 euros"),
        also=("6,400",),
    ),
    one(
        "What do 250 folded leaflets cost?",
        "128.00",
        ("price-list.md", "| Folded leaflets             | 84.00  | 128.00 |"),
        also=("128", "128 euros", "128.00 euros"),
    ),
    one(
        "How long do wedding cards take?",
        "3 weeks",
        ("price-list.md", "| Wedding cards, letterpress  | 290.00 | 455.00 | -      | 3 weeks  |"),
        also=("three weeks",),
    ),
    one(
        "Which mill makes the paper that we normally use?",
        "Lindström",
        ("price-list.md", "Our standard paper is Arvo 300 by the Lindström mill."),
        also=("Lindström mill", "the Lindström mill"),
    ),
    one(
        "What must customers outside Bexford pay for delivery?",
        "14.50",
        ("price-list.md", "Delivery within Bexford is free, elsewhere 14.50."),
        also=("14.50 euros",),
    ),
    one(
        "How many ballot papers does the town need?",
        "9500",
        ("jobs-march.csv", "2025-120,Town of Bexford,ballot papers,9500"),
        also=("9,500",),
    ),
    one(
        "When are the menus for Hotel Merle due?",
        "2025-03-18",
        ("jobs-march.csv", "2025-119,Hotel Merle,menus,150,2025-03-18"),
        also=("18 March 2025", "18 March"),
    ),
    one(
        "What will the repair of the cutter cost?",
        "740 euros",
        ("mail-cutter.txt", "He wants 740 euros for the part and the work"),
        also=("740",),
    ),
    one(
        "Who does our cutting while the machine is out of order?",
        "Papp & Co",
        ("mail-cutter.txt", "Until then we have our cutting done by Papp & Co in Holm."),
        also=("Papp & Co in Holm",),
    ),
    one(
        "Which of our people started the company together with Maud Sorrel?",
        "Augustin Quill",
        ("web/about.html", "was set up in 1956 by Augustin Quill"),
    ),
    one(
        "How many people does the printing house employ?",
        "Nine",
        ("web/about.html", "Nine people work here."),
        also=("9", "nine people"),
    ),
    one(
        "Which solvent do we use for cleaning up?",
        "Solvex 12",
        ("pressroom-rules.txt", "Wash-up solvent (Solvex 12) is kept in the steel cabinet."),
        also=("Solvex",),
    ),
    one(
        "Who checks the fire extinguishers?",
        "Brandwacht Holm",
        ("pressroom-rules.txt", "are inspected each May by Brandwacht Holm"),
        also=("Brandwacht",),
    ),
    two(
        "Where did the woman work before who takes the orders?",
        "a bookshop in Holm",
        ("web/about.html", "Before that she ran a bookshop in Holm."),
        ("web/about.html", "has been in charge of orders since 2013"),
        also=("bookshop in Holm", "Holm", "bookshop", "a bookshop"),
    ),
    two(
        "In which city was the machine built on which wedding cards are printed?",
        "Leipzig",
        ("web/about.html", "It was built by the Brothers Harnack in Leipzig"),
        ("web/about.html", "Wedding cards are printed on it by Noel Sorrel"),
    ),
    two(
        "Who is the head of the firm in Holm that cuts for us?",
        "Irma Papp",
        ("mail-cutter.txt", "Their boss is Irma Papp"),
        ("mail-cutter.txt", "we have our cutting done by Papp & Co in Holm"),
        also=("Papp",),
    ),
    two(
        "When did the man become an apprentice who looks after the jobs of Kestle Dental?",
        "2009",
        ("jobs-march.csv", "2025-118,Kestle Dental,letterheads,2000,2025-03-17,Amir Sadeghi"),
        ("web/about.html", "He came as an apprentice in 2009"),
        also=("in 2009",),
    ),
    two(
        "Which company employs the man who looked at the cutter?",
        "Keel Engineering",
        ("mail-cutter.txt", "His firm (Keel Engineering) is the only one"),
        ("mail-cutter.txt", "the man from Polborough was here"),
    ),
    two(
        "Who drew the calendar that was awarded a medal by the Guild of Printers?",
        "Saskia Vreeland",
        ("web/about.html", "It was drawn by Saskia Vreeland."),
        ("web/about.html", "our calendar of mills won the silver medal of the Guild of Printers"),
        also=("Vreeland",),
    ),
    two(
        "How many copies does the customer want whose job Noel Sorrel handles?",
        "120",
        ("jobs-march.csv", "2025-122,Vera Lomax,wedding cards,120,2025-04-02,Noel Sorrel"),
        ("jobs-march.csv", "job,customer,product,copies,due,handled by,status"),
    ),
    none("Who insures the digital press?", "Fenwick"),
    none("What did the hand press of 1871 cost?", "6,400"),
    none("When did Noel Sorrel join the firm?", "2009"),
    none("How many litres of solvent were used in 2024?", "five litres"),
    none("Who won the gold medal of the Guild of Printers?", "Saskia"),
)
