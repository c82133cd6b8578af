"""Kestrane Medical, a small maker of syringe pumps and nebulisers."""

from __future__ import annotations

from benchmarks.everyday.material import Documents, Pdf, none, one, two

PULSA_2 = """\
<!DOCTYPE html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<title>Pulsa 2 syringe pump | Kestrane Medical</title>
</head>
<body class="product">
<div id="cookie">We use cookies. <button>Accept</button> <button>Decline</button></div>
<nav aria-label="Main">
<a href="/products">Products</a> | <a href="/service">Service</a> |
<a href="/downloads">Downloads</a> | <a href="/company">Company</a> | <a href="/jobs">Jobs</a>
</nav>
<main>
<h1>Pulsa 2</h1>
<p class="lead">The syringe pump for the ward and for home. Quiet, light, and easy to wipe.</p>
<p>The Pulsa 2 replaced the Pulsa 1 in 2021. It takes syringes from 5 to 60 ml and delivers as
little as 0.1 ml per hour. The housing, which has neither slots nor screws on top, is moulded for us
by Dunholt Mouldings, a neighbour of ours.</p>
<h2>Data</h2>
<table>
<thead><tr><th>Feature</th><th>Value</th></tr></thead>
<tbody>
<tr><td>Running time on a full battery</td><td>9 hours at 5 ml/h</td></tr>
<tr><td>Charging time</td><td>2.5 hours</td></tr>
<tr><td>Weight with battery</td><td>1.9 kg</td></tr>
<tr><td>Display</td><td>4.3 inch, by Lumio Panels</td></tr>
<tr><td>Accuracy</td><td>&plusmn; 2 %</td></tr>
<tr><td>Protection</td><td>IP34</td></tr>
<tr><td>Warranty</td><td>three years, battery one year</td></tr>
</tbody>
</table>
<h2>What users say</h2>
<blockquote>"You can hear yourself think again." Sister Ama Boateng, Larkfield Hospice</blockquote>
<h2>In the box</h2>
<ul>
<li>pump, mains lead, pole clamp</li>
<li>short guide in six languages</li>
<li>carrying bag (home version only)</li>
</ul>
<h2>Accessories</h2>
<p>Nurse call cable, rack for four pumps, lock box. See the price list or ask your dealer.</p>
</main>
<footer>
<p>Kestrane Medical Ltd, The Glasshouse, Mill Lane, Dunholt. Read the instructions for use. Not all
products are sold in all countries.</p>
</footer>
</body>
</html>
"""

COMPANY = """\
<!DOCTYPE html>
<html lang="en-GB">
<head><meta charset="utf-8"><title>Company | Kestrane Medical</title></head>
<body>
<nav aria-label="Main">
<a href="/products">Products</a> | <a href="/service">Service</a> |
<a href="/downloads">Downloads</a> | <a href="/company">Company</a> | <a href="/jobs">Jobs</a>
</nav>
<main>
<h1>Company</h1>
<p>Kestrane Medical was started in 1998 by the physician Dr Eleanor Orrin and the engineer Paul
Thale in a garage in Wend. Since 2005 the company has had its seat in Dunholt, where 84 people
work today.</p>
<h2>The Glasshouse</h2>
<p>Our home was built in 1968 as a seed merchant's greenhouse. Rosalind Keir, its architect, put the
stairs on the outside. The well-known calibration bench in the old potting room is no work of hers,
nor of Dr Morrow's, whatever the visitors' sheet used to say; it came with us from Wend.</p>
<h2>People</h2>
<dl>
<dt>Maxine Adeyemi, chief executive</dt>
<dd>Came to us from Halcyon Imaging, where she ran the service network. She holds a degree in
physics.</dd>
<dt>Dr Kenji Morrow, research and development</dt>
<dd>Here since 2015. Holds nine patents on drives.</dd>
<dt>Oona Lindgren, quality</dt>
<dd>With us since 2012; sits on the national standards committee.</dd>
<dt>Radek Slavin, service</dt>
<dd>Joined in 2009 as an apprentice.</dd>
<dt>Beatrix Okonjo, sales</dt>
<dd>Looks after dealers in eleven countries. Since 2020.</dd>
</dl>
<h2>Certificates</h2>
<p>Our quality system is audited every year by Certa Notified Body, most recently in November
2023.</p>
</main>
<footer><p>&copy; Kestrane Medical Ltd 2024. Registered in Dunholt, no. 3341907.
<a href="/imprint">Imprint</a></p></footer>
</body>
</html>
"""

RELEASE_NOTES = """\
# Pulsa 2 firmware: release notes

Newest first. Install with the service cable and Kestrane Update 6 or later. Versions before 2.0 are
for the Pulsa 1 and are no longer looked after.

## 2.4.1 - 22 April 2024

Correction only. Please install within four weeks.

- Fixed: the pump did not sound the near-end alarm when the night mode was on (bug 772).
- Fixed: Portuguese text cut off on the battery page (bug 780).

## 2.4 - 5 March 2024

- New: night mode, which dims the display and lowers all tones but the high-priority alarm.
- New: drug library with up to 500 entries (was 200).
- Changed: the pump asks for a PIN before the rate is raised by more than a half.
- Fixed: the clock went back to 1 January after the battery had been taken out (bug 741).
- Known fault: see bug 772 above, do not use the night mode with this version.

## 2.3 - 14 November 2023

- New: Finnish and Greek.
- Fixed: false "syringe loose" with syringes of 50 ml by some makers (bug 702). Thanks to the
  ward team of Larkfield Hospice, who found it.
- Removed: printing over the infrared port. Nobody used it.

## 2.2 - 30 June 2023

- Fixed: charging stopped at 96 per cent (bug 655).
- Changed: the self-test at switch-on takes 4 seconds instead of 11.

---
Maintained by the software group (lead: Jae-won Lim). Questions to service.
"""

ANNOUNCEMENT = """\
To:      all staff
From:    Paul Thale
Date:    1 February 2024
Subject: Changes at the top and in some teams

Dear all,

After 26 years I am handing over. On 1 March Maxine Adeyemi will follow me
as chief executive. Many of you met her at the summer party. I shall not
vanish altogether: the shareholders have asked me to chair the board, in
place of Dr Eleanor Orrin, who retires to her bees.

At the same time a few teams will move:

  - Regulatory affairs (Grace Hartley and her two colleagues) leaves
    Research & Development and becomes part of Quality.
  - The repair shop goes from Operations to Service. It stays where
    it is, on the ground floor.
  - Purchasing stays in Operations. Rumours that it is going to
    Finance are wrong.
  - Training of customers is handed to Sales; until now nobody was
    quite in charge of it.

Operations is led, as before, by Hamish Corder. The post of head of Finance
is still open; until it is filled, Livia Brandt, our controller, does both.

Simon Hartley (warehouse) asks me to add that he isn't moving anywhere and
that parcels for regulatory affairs should stop landing on his desk. They
are not related either.

Thank you for everything. There'll be cake on the 29th.

Paul
"""

TICKETS = """\
SERVICE TICKETS - PULSA AND NIVO - Q1/Q2 2024 (extract)

KM-1188 | 11 Mar 2024 | Larkfield Hospice | Pulsa 2, SN 20417
  Pole clamp slips.
  > Clamp exchanged under warranty. Closed 14 Mar. (T. Wicks)

KM-1192 | 19 Mar 2024 | St Bride's Hospital, Wend | Pulsa 2, 12 pumps
  At night there was no tone before the syringe was empty. No patient came to
  harm, the nurse noticed it on her round.
  > Repeated in the workshop on 20 Mar. Software, not the loudspeaker.
  > Cause: bug 772. Workaround: leave the night mode off.
  > Passed to the software group. Owner: Tansy Wicks

KM-1195 | 26 Mar 2024 | private customer via Apotek Runa | Nivo
  Mist comes and goes.
  > Filter had not been changed for a year. Advised. Closed same day. (R. Slavin)

KM-1201 | 8 Apr 2024 | Medivia Nord | Pulsa 2, SN 19902 to 19911
  Ten pumps grind when running backwards. Pictures show worn nut.
  > See safety notice of March. Nuts sent free of charge.
  > Closed 17 Apr. Owner: Emil Faraday

KM-1207 | 2 May 2024 | Clinic Am Hang | Pulsa 2, SN 21150
  Asks whether rack for four pumps fits the old Pulsa 1.
  > No. Closed. (T. Wicks)

KM-1210 | 16 May 2024 | Ambulance service, Dunholt | Nivo Mini
  Charging lamp stays red. Device is five weeks old.
  > New device sent. Old one to Research for a look.
  > Open. Owner: Emil Faraday
"""

DISTRIBUTION = Pdf(
    header="Kestrane Medical Ltd / Medivia Nord AS - Distribution Agreement",
    footer="DA-2022-04 - p.",
    pages=(
        """\
# DISTRIBUTION AGREEMENT

Parties: Kestrane Medical Ltd, Dunholt ("Kestrane"), and Medivia
Nord AS, a company with its seat in Askelund ("the Distributor").

Effective date: 1 October 2022.

# Article 1 - Appointment

Kestrane appoints the Distributor to sell the Pulsa 2 syringe pump
in the Territory. The Territory consists of Norrmark, Sund and the
Outer Islands. The appointment is exclusive. The Nivo nebulisers are
not covered; they are sold in the Territory by Apotek Runa.

# Article 2 - Duties of the Distributor

2.1 The Distributor shall buy no fewer than 240 pumps in each calen-
dar year.

2.2 It shall keep two trained technicians. The training is given
by Kestrane free of charge; travel is paid by the Distributor.

2.3 Complaints shall be passed on within two working days.
""",
        """\
# Article 3 - Prices

The Distributor buys at the list price less 28 per cent. New price
lists are announced sixty days in advance.

# Article 4 - Records

So that every pump can be traced, the Distributor keeps a register
of serial numbers for fifteen years after delivery.

# Article 5 - Term

The agreement is made for five years. It may be ended before that
only for good cause. Missing the quantity of Article 2.1 twice
in a row is deemed to be such a cause.

# Article 6 - Law

The law of Kestrane's seat applies. Place of jurisdiction is Wend.

Dunholt, 12 September 2022            Askelund, 19 September 2022

For Kestrane:                         For the Distributor:
Paul Thale                            Sigrun Aaby
Chief Executive                       General Manager
""",
    ),
)

SAFETY_NOTICE = Pdf(
    header="URGENT FIELD SAFETY NOTICE               FSN-24-01",
    footer="Kestrane Medical Ltd, Dunholt - sheet",
    pages=(
        """\
# Field Safety Notice

Date: 15 March 2024
Product: Pulsa 2 syringe pump, serial numbers 19850 to 20167
To: wards, home care services and dealers

# What is the matter?

In some pumps the drive nut wears faster than it should. A worn nut
may slip, and the pump then delivers less than is shown on the dis-
play. The alarm for this state works. Kestrane has been told of four
cases. No patient was harmed.

# Which pumps are concerned?

318 pumps that were put together between May and July 2023. In that
time the nuts were made of a bronze that did not meet the drawing.
The nuts had been supplied by Corvane Precision. Pumps that were made
later have nuts from another maker. Nivo devices have no such nut.
""",
        """\
# What should you do?

1. Find the pumps by the serial number under the handle.
2. Have the drive nut (part no. K-2207) exchanged. Until then, do
   not use the pump for medicines that act on the circulation.
3. Fill in the reply form and send it back by 30 April 2024, even
   if you have none of these pumps.

# What does Kestrane do?

Nuts and labour are free for the pumps named above. Service part-
ners receive the tool, which is designed by Radek Slavin's team, on
loan. The authority has been informed.

# Contact

Questions about this notice are answered by Grace Hartley, regula-
tory affairs, extension 417.

Signed: Oona Lindgren, Head of Quality
This notice was not signed by the distributor.
""",
    ),
)

PRICES_JANUARY = """\
"Kestrane Medical price list 2024/1, valid 1 January to 30 June 2024, EUR without VAT"
part_no,description,list_price,unit,note
K-2000,"Pulsa 2, ward version",1240.00,each,
K-2001,"Pulsa 2, home version with bag",1295.00,each,
K-2101,"Battery pack for Pulsa 2",58.00,each,one year warranty
K-2104,"Pole clamp",39.00,each,
K-2207,"Drive nut",31.50,each,fitting by trained staff only
K-2210,"Nurse call cable 3 m",44.00,each,
K-2215,"Rack for four pumps",410.00,each,not for Pulsa 1
K-2220,"Lock box",96.00,each,
K-3000,"Nivo nebuliser",189.00,each,
K-3001,"Nivo filter",7.90,pack of 10,
K-3100,"Nivo Mini nebuliser",149.00,each,new
K-9001,"Yearly inspection, Pulsa 2",115.00,per pump,in Dunholt
"""

PRICES_JULY = """\
"Kestrane Medical price list 2024/2, valid from 1 July 2024, EUR without VAT"
part_no,description,list_price,unit,note
K-2000,"Pulsa 2, ward version",1290.00,each,
K-2001,"Pulsa 2, home version with bag",1345.00,each,
K-2101,"Battery pack for Pulsa 2",62.00,each,one year warranty
K-2104,"Pole clamp",41.00,each,improved
K-2207,"Drive nut",34.00,each,fitting by trained staff only
K-2210,"Nurse call cable 3 m",46.00,each,
K-2215,"Rack for four pumps",425.00,each,not for Pulsa 1
K-2220,"Lock box",99.00,each,
K-3000,"Nivo nebuliser",195.00,each,
K-3001,"Nivo filter",8.20,pack of 10,
K-3100,"Nivo Mini nebuliser",155.00,each,
K-9001,"Yearly inspection, Pulsa 2",120.00,per pump,in Dunholt
K-9002,"Yearly inspection, Pulsa 2",148.00,per pump,on site
"""

QUALITY_MEETING = """\
Quality meeting, Thursday 18.4.2024, 9:00-10:10, small meeting room

There: O. Lindgren (chair), G. Hartley, R. Slavin, J. Lim, H. Corder,
       E. Faraday (minutes)
Not there: Dr Morrow (at a fair), L. Brandt

1) Safety notice FSN-24-01
   - 201 of 318 pumps have been put right so far. Medivia is slow (RS).
   - 3 replies say "pump lost". GH writes to them.
   - Corvane disputes the claim of 21,000 euros. HC to see a lawyer.
   - The new maker of the nut, Tolvik & Son, has passed the audit.

2) Bug 772
   - 2.4.1 is tested and will be released on Monday (JL).
   - RS wants a test with the lights off in every release from now on.
     Agreed. JL to add it to the list.

3) Complaints
   - 14 in March, 9 in April until now. Half of them clamps.
   - The clamp will get a rubber pad from June. Drawing is done.

4) Audit
   - Next visit by Certa: 12 and 13 November 2024. OL prepares.
   - The deviation of last year (labels in the clean room) is closed.

5) Sundries
   - The clean room will be shut 6-8 May because of the filters.
   - Emil has finished his exam as auditor. Applause.

To do                                   who     until
Letter to the three with lost pumps     GH      26.4.
Lawyer, Corvane                         HC      30.4.
Dark test                               JL      15.5.
"""

BATTERY_MAIL = """\
From: Hamish Corder
To: Kenji Morrow; Livia Brandt
CC: Oona Lindgren
Date: Tuesday, June 4, 2024 5:48 PM
Subject: RE: RE: Battery packs - we have a decision

Hi both,

decision taken this afternoon: from September the packs for the Pulsa 2
come from Ambervolt. Celltrona have been told; they stay our supplier for
the Nivo, but not for the pump any longer.

Livia, the figures: 17.40 a piece instead of 19.10, first order 3,000.
The cells aren't made in Askelund as I wrote last week - that is only
the sales office. The factory is in Tessaby. Sorry for that.

Kenji, the drop test is yours. Can it be done by the end of July?

Hamish

-----Original Message-----
From: Kenji Morrow
Sent: Monday, June 3, 2024 10:22 AM
To: Hamish Corder
Subject: RE: Battery packs

Both samples did well. At 0 degrees the one by Ambervolt kept 91 % of its
charge, the other 84 %. Weight is the same. The plug differs, so the
cable (Jonna's drawing 2-118) has to be changed.
K.

-----Original Message-----
From: Hamish Corder
Sent: Wednesday, May 29, 2024 8:05 AM
Subject: Battery packs

Morning. I've two offers on my desk, from the present supplier and from
Ambervolt (cells made in Askelund). Which one do you like, technically?
The contact there is a Mr Teodor Blix. He seems to know his stuff.

This e-mail may be confidential. If you are not the right person, please
delete it and tell us.
"""

PHONES = """\
KESTRANE MEDICAL - TELEPHONE LIST                      as of 2 April 2024
Main number 0555 20 40 + extension           Mistakes: tell reception (400)

Management
  Adeyemi, Maxine        chief executive         410
  Thale, Paul            chair of the board      411     (Tuesdays)
Operations
  Corder, Hamish         head                    420
  Hartley, Simon         warehouse               428
  Osei, Prudence         purchasing              424
Quality
  Lindgren, Oona         head                    415
  Hartley, Grace         regulatory affairs      417     mobile 0700 555 317
  Faraday, Emil          auditor, complaints     418
Research & Development
  Morrow, Dr Kenji       head                    430
  Lim, Jae-won           software                433
  Ravn, Jonna            mechanics               434
Service
  Slavin, Radek          head                    440     mobile 0700 555 340
  Wicks, Tansy           workshop, Pulsa         442
  Dobry, Ansel           repair shop             445
Sales
  Okonjo, Beatrix        head                    450     mobile 0700 555 350
  Merrow, Kit            training of customers   453
Finance
  Brandt, Livia          controller              460
  N.N.                   head                    461

First-aiders: Simon Hartley, Jonna Ravn, Ansel Dobry
Fire wardens: Prudence Osei (ground floor), Kit Merrow (first floor)
In an emergency dial 0-112, then reception.
"""

FAQ = """\
# Frequently asked questions (for dealers and users)

*Last change: 27 May 2024, service department*

## Pulsa 2

**Which syringes can I use?**
Those on the list under the lid. Others may be added in the drug library menu by a technician.

**Can the battery be changed by the user?**
Yes. One screw, no tool but a coin. Please hand the old one in.

**How often must the pump be inspected?**
Once a year. The label shows the month.

**I still have a Pulsa 1. Is it repaired?**
Repairs ended on 31 December 2023. We take old devices back against a voucher of 100 euros.

## Nivo and Nivo Mini

**How often is the filter changed?**
In the Nivo every 30 days of use, at home as in hospital. The Nivo Mini has no filter; its mesh is
boiled once a week.

**How heavy is it?**
The Nivo weighs 420 g. With its bag it is 600 g.

**May I use oils in it?**
No. Oils harm the lungs and the mesh.

**Who makes the masks?**
They are bought from Sylvan Air, and can be had in three sizes.

## Ordering

1. Ask your dealer first.
2. In countries without a dealer, write to sales.
3. Spare parts are sent within 48 hours if they are in stock. They are kept in Dunholt; the store
   in Wend was given up in 2022.
"""

DOCUMENTS: Documents = {
    "web/pulsa-2.html": PULSA_2,
    "web/company.html": COMPANY,
    "release-notes-pulsa-2.md": RELEASE_NOTES,
    "announcement-2024-02-01.txt": ANNOUNCEMENT,
    "tickets-2024.txt": TICKETS,
    "contracts/DA-2022-04-medivia.pdf": DISTRIBUTION,
    "FSN-24-01.pdf": SAFETY_NOTICE,
    "prices/price-list-2024-1.csv": PRICES_JANUARY,
    "prices/price-list-2024-2.csv": PRICES_JULY,
    "quality-meeting-2024-04-18.txt": QUALITY_MEETING,
    "mail-battery-packs.txt": BATTERY_MAIL,
    "phone-list-2024-04.txt": PHONES,
    "faq.md": FAQ,
}

QUESTIONS = (
    one(
        "How long can the Pulsa 2 work without being plugged in?",
        "9 hours",
        (
            "web/pulsa-2.html",
            "<tr><td>Running time on a full battery</td><td>9 hours at 5 ml/h</td></tr>",
        ),
        also=("nine hours", "9 h", "9 hours at 5 ml/h"),
    ),
    one(
        "When was version 2.4.1 of the pump's firmware published?",
        "22 April 2024",
        ("release-notes-pulsa-2.md", "## 2.4.1 - 22 April 2024"),
        also=("April 22, 2024", "22.4.2024", "22 Apr 2024"),
    ),
    one(
        "Who leads Operations at Kestrane?",
        "Hamish Corder",
        ("announcement-2024-02-01.txt", "Operations is led, as before, by Hamish Corder."),
        ("phone-list-2024-04.txt", "Operations Corder, Hamish head 420"),
        also=("Corder", "H. Corder", "Corder, Hamish"),
    ),
    one(
        "What is the list price of the ward version of the Pulsa 2 as of 1 July 2024?",
        "1290.00 euros",
        ("prices/price-list-2024-2.csv", 'K-2000,"Pulsa 2, ward version",1290.00,each,'),
        also=(
            "1290.00",
            "1290",
            "1,290",
            "1,290 euros",
            "1290 euros",
            "EUR 1290.00",
            "1290.00 EUR",
        ),
    ),
    one(
        "At least how many pumps must Medivia Nord purchase every year?",
        "240",
        (
            "contracts/DA-2022-04-medivia.pdf",
            "The Distributor shall buy no fewer than 240 pumps in each calendar year.",
        ),
        also=("240 pumps",),
    ),
    one(
        "How many devices does the field safety notice of March 2024 concern?",
        "318",
        ("FSN-24-01.pdf", "318 pumps that were put together between May and July 2023."),
        ("quality-meeting-2024-04-18.txt", "201 of 318 pumps have been put right so far."),
        also=("318 pumps",),
    ),
    one(
        "How often should one replace the filter of a Nivo?",
        "every 30 days",
        ("faq.md", "In the Nivo every 30 days of use, at home as in hospital."),
        also=("30 days", "every 30 days of use", "every thirty days"),
    ),
    one(
        "Who is the architect of the Glasshouse in Dunholt?",
        "Rosalind Keir",
        ("web/company.html", "Rosalind Keir, its architect, put the stairs on the outside."),
        also=("Keir",),
    ),
    one(
        "Under which extension does one reach Simon Hartley?",
        "428",
        ("phone-list-2024-04.txt", "Hartley, Simon warehouse 428"),
        also=("extension 428",),
    ),
    two(
        "Which firmware version puts an end to the fault that St Bride's Hospital reported?",
        "2.4.1",
        ("tickets-2024.txt", "> Cause: bug 772. Workaround: leave the night mode off."),
        (
            "release-notes-pulsa-2.md",
            "the pump did not sound the near-end alarm when the night mode was on (bug 772).",
        ),
        ("release-notes-pulsa-2.md", "## 2.4.1 - 22 April 2024"),
        also=("version 2.4.1", "firmware 2.4.1"),
    ),
    two(
        "Where did the person work before who took over from Paul Thale as head of the company?",
        "Halcyon Imaging",
        (
            "announcement-2024-02-01.txt",
            "On 1 March Maxine Adeyemi will follow me as chief executive.",
        ),
        (
            "web/company.html",
            "Came to us from Halcyon Imaging, where she ran the service network.",
        ),
    ),
    two(
        "What is the list price, from July 2024, of the part to be exchanged in the safety notice?",
        "34.00 euros",
        ("FSN-24-01.pdf", "Have the drive nut (part no. K-2207) exchanged."),
        (
            "prices/price-list-2024-2.csv",
            'K-2207,"Drive nut",34.00,each,fitting by trained staff only',
        ),
        also=("34.00", "34 euros", "EUR 34.00", "34.00 EUR", "€34.00"),
    ),
    two(
        "In which town are the cells made of the new supplier of the pump's batteries?",
        "Tessaby",
        (
            "mail-battery-packs.txt",
            "from September the packs for the Pulsa 2 come from Ambervolt.",
        ),
        ("mail-battery-packs.txt", "The factory is in Tessaby."),
    ),
    two(
        "Who is in charge of the department that Grace Hartley's team moved to in 2024?",
        "Oona Lindgren",
        (
            "announcement-2024-02-01.txt",
            "Regulatory affairs (Grace Hartley and her two colleagues) leaves Research & "
            "Development and becomes part of Quality.",
        ),
        ("FSN-24-01.pdf", "Signed: Oona Lindgren, Head of Quality"),
        ("phone-list-2024-04.txt", "Quality Lindgren, Oona head 415"),
        also=("Lindgren", "O. Lindgren", "Lindgren, Oona"),
    ),
    two(
        "What is the phone extension of the colleague who dealt with the grinding pumps?",
        "418",
        (
            "tickets-2024.txt",
            "Ten pumps grind when running backwards. Pictures show worn nut. > See safety notice "
            "of March. Nuts sent free of charge. > Closed 17 Apr. Owner: Emil Faraday",
        ),
        ("phone-list-2024-04.txt", "Faraday, Emil auditor, complaints 418"),
        also=("extension 418",),
    ),
    two(
        "Who now makes the nuts that Corvane Precision used to supply?",
        "Tolvik & Son",
        ("FSN-24-01.pdf", "The nuts had been supplied by Corvane Precision."),
        (
            "quality-meeting-2024-04-18.txt",
            "The new maker of the nut, Tolvik & Son, has passed the audit.",
        ),
        also=("Tolvik", "Tolvik and Son"),
    ),
    two(
        "Who has been with Kestrane longer, Oona Lindgren or Radek Slavin?",
        "Radek Slavin",
        ("web/company.html", "With us since 2012; sits on the national standards committee."),
        ("web/company.html", "Joined in 2009 as an apprentice."),
        also=("Slavin", "R. Slavin"),
    ),
    none("Who designed Kestrane's calibration bench?", "Morrow"),
    none("What is Simon Hartley's mobile number?", "0700 555 317"),
    none("What does the Nivo Mini weigh?", "420 g"),
    none("Who makes the display of the Nivo?", "Lumio Panels"),
)
