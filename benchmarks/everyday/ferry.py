"""Tarn Sound Ferries, which runs three car ferries between the mainland and two islands."""

from __future__ import annotations

from benchmarks.everyday.material import Documents, Pdf, none, one, two

README = """\
# Shared drive "TSF-Office"

This folder is for the office staff at Quay House. Crews find their papers in the mess (green
binder) or ask the purser. If you are new: read this page once, then ask.

Owner of the drive: Beth Quillam (purchasing). Passwords and access are *not* hers, for these
go to Dilys Roe, the company secretary.

## What is where

| Files            | What they are                              | Kept by        | Kept for        |
|------------------|--------------------------------------------|----------------|-----------------|
| contract-*       | signed contracts, exported from the system | Beth Quillam   | 12 years        |
| minutes-*        | board minutes, approved ones only          | Dilys Roe      | 10 years        |
| fares-*          | fares as loaded into the tills             | Farid Nazari   | 6 years         |
| incident-*       | incident reports                           | safety desk    | for good        |
| tickets-*        | exports from the booking help desk         | Owen Trask     | eighteen months |

## House rules

- Dates in file names go year, month, day.
- Don't change last year's fares, not even a typo. The auditors compare them with the tills.
- Anything with a passenger's name or telephone number belongs in the locked cabinet, not here.
- Drafts stay on your own machine until somebody other than you has read them.

## Copies

A copy of the drive is made every night to the server at Port Ansgar. Until 2020 the copy was kept
at Skerrow; that machine is no longer in use and was scrapped.

Last tidied: 4 Jan 2024, D. R.
"""

FUEL_CONTRACT = Pdf(
    header="Marine Fuel Supply Agreement - TSF / Brannock - CONFIDENTIAL",
    footer="Agreement no. 2023/017 - page",
    pages=(
        """\
# Marine Fuel Supply Agreement

This agreement is made on 9 June 2023 between

(1) Tarn Sound Ferries Ltd, of Quay House, 3 Capstan Row, Hollin
    Quay ("the Operator"), and

(2) Brannock Fuels plc, whose registered office is in Wexcombe
    ("the Supplier").

# 1. Term

1.1 Deliveries begin on 1 July 2023. The agreement runs for three
years from that day unless it is ended earlier under clause 7.

1.2 It takes the place of the Operator's agreement with Oldacre
Petroleum, which is no longer the supplier as from the same day.

# 2. Product and quantity

2.1 The Supplier shall deliver marine gas oil with a sulphur con-
tent of not more than 0.1 per cent by mass.

2.2 The Operator shall take at least 900,000 litres in each con-
tract year. Should it take less, the parties shall meet before any
shortfall is invoiced.
""",
        """\
# 3. Delivery

3.1 The product is brought by road tanker to the bunkering point
on the east mole at Hollin Quay. It is not delivered to the islands.

3.2 Deliveries are made between 21:00 and 05:00, when no passen-
gers are on the mole.

3.3 For each full hour that a tanker is late the Supplier shall
credit the Operator with 150 pounds, save where the road over Gannet
Moss is closed.

# 4. Price

4.1 The price is the weekly published index plus a margin of
4.2 pence per litre. The margin is fixed for the whole term.

4.2 Invoices are payable within 30 days of receipt.

# 5. Quality

5.1 A sample is drawn from every delivery and sealed in the pres-
ence of the chief engineer on duty. Samples are analysed by Tidewater
Laboratories; the costs are borne by the Supplier.
""",
        """\
# 6. Insurance

6.1 The Supplier shall be insured against pollution for not less
than 5 million pounds per event.

# 7. Ending the agreement

7.1 Either party may end the agreement by giving six months' no-
tice in writing. Notices to the Operator go to the company secretary.

# 8. Signatures

Signed for the Operator by Ingrid Pascoe, Managing Director.

Signed for the Supplier by J. R. Tolland, Commercial Director.

The chair of the Operator's board, Dr M. Hale, did not sign this
agreement; her consent was given by resolution of 16 May 2023.
""",
    ),
)

MINUTES_MAY = """\
TARN SOUND FERRIES LTD
Minutes of the meeting of the Board, Tuesday 16 May 2023
Quay House, Hollin Quay, 10.00 to 12.35

Present:   Dr Morwenna Hale (chair), Ingrid Pascoe (MD), Simon Teague,
           Anneke Vos, Farid Nazari (operations, for items 3 to 5)
Apologies: Hugh Penrose (treasurer)
Minutes:   Dilys Roe

1. Minutes of the last meeting were approved with one correction: the
   dredging at Little Wick was paid for by the county, not by us.

2. Fuel. IP reported on the tender. Three offers had come in. The
   contract is awarded to Brannock Fuels plc for three years. After
   eleven years the contract with Oldacre Petroleum will not be
   renewed; their offer was the dearest of the three. AV asked about
   hydrotreated oil; IP said it had been looked at and put off.

3. Skerrow terminal. The new building will be opened on 3 June by the
   county's lieutenant. Final cost 2.31 million pounds, of which the
   county pays 60 per cent.

4. Crewing. Capt. A. J. Lindqvist is appointed master of MV Fulmar from
   1 June. She joins from Corran Islands Transport, where she had
   command of a freight vessel for six years. MV Kittiwake remains
   under Capt. R. Bolitho.

5. Refit of MV Guillemot. FN presented the plan: new wheelhouse windows,
   galley, passenger lift. Budget 640,000 pounds. The board agreed in
   principle and asked for a second quotation. To be taken up again in
   September.

6. Any other business. ST will speak to the parish about parking.

Next meeting: 12 September 2023.
"""

MINUTES_SEPTEMBER = """\
TARN SOUND FERRIES LTD
Minutes of the meeting of the Board, Tuesday 12 September 2023
Quay House, Hollin Quay, 10.00 to 13.10

Present:   Dr Morwenna Hale (chair), Ingrid Pascoe (MD), Simon Teague,
           Anneke Vos, Farid Nazari (operations)
Apologies: none
Minutes:   Dilys Roe

1. Minutes of 16 May approved.

2. Treasurer. Hugh Penrose resigned on 31 July for reasons of health;
   the chair thanked him for nine years. Simone Achterberg (born 1961),
   until last year head of accounts at the Wexcombe Harbour Trust, was
   elected treasurer without opposition.

3. Refit of MV Guillemot. Two quotations were compared. The work goes
   to Mallin Dockyard and begins on 8 January 2024. The budget is raised
   to 715,000 pounds; the figure of May (640,000) is withdrawn. The
   vessel is expected back in service by mid-March.

4. Incident of 22 August (MV Kittiwake, berth 2, Skerrow). The report
   was noted. No claim has been made by the passenger concerned.

5. Winter timetable. The last sailing from Brae on Fridays moves from
   20:15 to 19:40 as of 30 October, so that the crew's rest hours are
   kept. The Sunday morning sailing to Little Wick is given up; the
   community council had asked us to keep it.

6. Pump stations. AV asked why the yard at Hollin Quay flooded twice in
   August. FN: the North pump station, built in 1988, cannot cope with a
   spring tide. A survey is to be made by Tregarth Engineers. The South
   pump station, which dates from 2016, ran without fault.

Next meeting: 5 December 2023.
"""

FLEET = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Our fleet | Tarn Sound Ferries</title>
<link rel="stylesheet" href="/css/site.css">
</head>
<body>
<nav>
<ul>
<li><a href="/">Home</a></li>
<li><a href="/timetable">Timetable</a></li>
<li><a href="/fares">Fares</a></li>
<li><a href="/fleet">Our fleet</a></li>
<li><a href="/contact">Contact</a></li>
</ul>
</nav>
<div class="breadcrumb">Home &gt; About us &gt; Our fleet</div>
<main>
<h1>Our fleet</h1>
<p>Three ships carry you over the Sound, all year round and in nearly all weathers.</p>
<table>
<tr><th>Ship</th><th>Built</th><th>Yard</th><th>Passengers</th><th>Cars</th></tr>
<tr><td>MV Kittiwake</td><td>2009</td><td>Rasmund Yard, Torvik</td><td>220</td><td>34</td></tr>
<tr><td>MV Guillemot</td><td>1994</td><td>Mallin Dockyard</td><td>140</td><td>18</td></tr>
<tr><td>MV Fulmar</td><td>2022</td><td>Lysefjell Yard, Osterhamn</td><td>260</td><td>42</td></tr>
</table>
<h2>MV Kittiwake</h2>
<p>The lines of the Kittiwake were drawn by the naval architect Tove Ranhild. Her two diesel
engines come from Baldur Marine. She has a quiet lounge forward and room for ten bicycles, and she
serves the Skerrow route.</p>
<h2>MV Fulmar</h2>
<p>Our newest ship is a hybrid. She was designed by Anders Quist, and can run for forty minutes on
the batteries alone, which were supplied by Amphora Marine. She was named by
Edith Maddern, a granddaughter of one of the founders. You will find her on the Brae route.</p>
<h2>MV Guillemot</h2>
<p>Small, sturdy and much loved. She relieves the other two and sails to Little Wick in summer.</p>
<h2>Ships of the past</h2>
<p>MV Razorbill left us in 2019, when she was sold to Corran Islands Transport. She has been
renamed twice since.</p>
</main>
<aside><h3>Did you know?</h3><p>The company was founded in 1957 by the brothers Edwin and Arthur
Maddern with a converted lifeboat.</p></aside>
<footer>
<p>&copy; 2024 Tarn Sound Ferries Ltd &middot; <a href="/privacy">Privacy</a> &middot;
<a href="/cookies">Cookies</a> &middot; <a href="/conditions">Conditions of carriage</a></p>
</footer>
</body>
</html>
"""

FARES_2023 = """\
route,ticket,fare_gbp,valid_from,valid_to,remarks
Hollin Quay - Skerrow,adult single,8.40,2023-04-01,2024-03-31,
Hollin Quay - Skerrow,child single,4.20,2023-04-01,2024-03-31,aged 5 to 15
Hollin Quay - Skerrow,car up to 5 m,27.00,2023-04-01,2024-03-31,driver not included
Hollin Quay - Skerrow,bicycle,2.00,2023-04-01,2024-03-31,
Hollin Quay - Skerrow,ten-trip card,67.00,2023-04-01,2024-03-31,residents only
Hollin Quay - Brae,adult single,11.20,2023-04-01,2024-03-31,
Hollin Quay - Brae,child single,5.60,2023-04-01,2024-03-31,aged 5 to 15
Hollin Quay - Brae,car up to 5 m,36.50,2023-04-01,2024-03-31,driver not included
Hollin Quay - Brae,bicycle,2.00,2023-04-01,2024-03-31,
Hollin Quay - Brae,ten-trip card,89.00,2023-04-01,2024-03-31,residents only
Port Ansgar - Little Wick,adult single,6.10,2023-05-01,2023-09-30,summer only
Port Ansgar - Little Wick,child single,3.05,2023-05-01,2023-09-30,summer only
"""

FARES_2024 = """\
route,ticket,fare_gbp,valid_from,valid_to,remarks
Hollin Quay - Skerrow,adult single,8.90,2024-04-01,2025-03-31,
Hollin Quay - Skerrow,child single,4.45,2024-04-01,2025-03-31,aged 5 to 15
Hollin Quay - Skerrow,car up to 5 m,28.50,2024-04-01,2025-03-31,driver not included
Hollin Quay - Skerrow,bicycle,free,2024-04-01,2025-03-31,no charge as of April 2024
Hollin Quay - Skerrow,ten-trip card,71.00,2024-04-01,2025-03-31,residents only
Hollin Quay - Brae,adult single,11.80,2024-04-01,2025-03-31,
Hollin Quay - Brae,child single,5.90,2024-04-01,2025-03-31,aged 5 to 15
Hollin Quay - Brae,car up to 5 m,38.00,2024-04-01,2025-03-31,driver not included
Hollin Quay - Brae,bicycle,free,2024-04-01,2025-03-31,no charge as of April 2024
Hollin Quay - Brae,ten-trip card,94.00,2024-04-01,2025-03-31,residents only
Port Ansgar - Little Wick,adult single,6.50,2024-05-01,2024-09-30,summer only
Port Ansgar - Little Wick,child single,3.25,2024-05-01,2024-09-30,summer only
"""

INCIDENT = """\
INCIDENT REPORT                                   No. IR-2023-07
Tarn Sound Ferries, safety desk                   Status: closed

Vessel:        MV Kittiwake
Date and time: 22 August 2023, 07:42
Place:         Skerrow, berth 2
Weather:       wind SW 5, slight sea, rain
On board:      61 passengers, 14 cars, 7 crew
Reported by:   J. Pendry, harbour master
Written by:    L. Carrow, safety desk

What happened
-------------
While coming alongside, the ship did not answer to the bow thruster.
She touched the fender at about one and a half knots and came to rest
against the dolphin. The gangway was put out nine minutes later than
usual. One passenger fell on the stairs and sprained a wrist; she was
looked after by the ship's first-aider and went home by herself.

Cause
-----
The shaft seal of the bow thruster had failed, and sea water had got
into the motor. The seal had been fitted in February by Mallin
Dockyard. A wrong grade of rubber was used. It was not, as was first
thought, a fault of the control panel on the bridge.

The motor was taken out by Tom Pendry, chief engineer of the ship (no
relation of the harbour master), and rewound ashore.

Consequences
------------
The Kittiwake was out of service for four days. Her sailings were taken
over by MV Guillemot, with fewer cars. The dent in the fender was made
good at the company's own cost.

What we change
--------------
* Seals are bought by part number only, with the maker's certificate.
* The thruster is tested before the breakwater, not after it.
* Falls on stairs: handrails to be painted yellow by October.
"""

HANDBOOK = """\
# Crew handbook, 6th edition

Issued by the operations department. Questions to F. Nazari. This edition replaces the fifth,
which should be thrown away.

## 1. Before you sail

Be on board **45 minutes** before the first departure of your shift; for the masters it is an
hour. Sign the list at the gangway. Uniform is worn on duty, and shore leave in uniform is not
allowed.

## 2. Rest and pay

1. You have at least ten hours of rest in any 24.
2. A night away from your home port is paid with an allowance of 38 pounds.
3. Rosters are put up on the 20th of the month before. Swaps need the purser's initials.

## 3. Training

New deckhands spend their first two weeks with the bosun and do not handle mooring lines alone.
First aid is renewed every three years. The course is held at the Gannet Moss training centre and
takes two days. Fire drills are held weekly, on Tuesdays.

## 4. Radio

| Harbour     | VHF channel | Call sign       |
|-------------|-------------|-----------------|
| Hollin Quay | 12          | Hollin Control  |
| Skerrow     | 14          | Skerrow Harbour |
| Brae        | 8           | Brae Pier       |
| Port Ansgar | 11          | Ansgar Port     |

Channel 16 is for distress and calling only.

## 5. Passengers

- Dogs travel free but stay out of the lounge.
- Lost property is handed in at the end of the shift. It is taken to the ticket office at Port
  Ansgar and kept there for 90 days, then given to the lifeboat's charity shop.
- Wheelchair users: ring the terminal before departure so that the lift is manned.

## 6. Who to ask

Pay: Nell Hambly. Uniform: the stores at Hollin Quay. Medical certificates: Dr Ruan Tyack, the
company doctor, who sees crew on Thursdays.
"""

LINKSPAN_MAIL = """\
From: Farid Nazari <f.nazari@tarnsound.example>
To: Joan Pendry <j.pendry@tarnsound.example>
Cc: Beth Quillam <b.quillam@tarnsound.example>
Date: Thu, 9 Nov 2023 16:21
Subject: Re: FW: who do we call about the linkspan?

Joan,

see below. The short of it: it's Hovden, not Annandale. Annandale is the
architect of the terminal building and has nothing to do with anything
that moves. Mr Hovden's office is in Torvik, so they are an hour ahead of us.

Beth has the order for the new hoses (PO 23-1184, 2,960 pounds).

Farid
--
Farid Nazari, Operations Manager
Tarn Sound Ferries, Quay House, Hollin Quay

> From: Beth Quillam
> Date: Thu, 9 Nov 2023 11:05
> Subject: FW: who do we call about the linkspan?
>
> Farid, can you answer Joan? I only find the architect's file. The
> terminal at Skerrow was designed by Piers Annandale, that much I know,
> and the contractor was Bellever Construction.
>
> > From: Joan Pendry
> > Date: Wed, 8 Nov 2023 08:12
> >
> > Morning Beth, the linkspan at Skerrow is losing hydraulic oil again,
> > about two litres a day. Who made the thing? I have a number for an
> > architect in my book but I doubt he wants oil on his shoes.
> > Also: the oil is to be the biodegradable sort, Verdol 46, nothing
> > else, or the oyster people will be at my door.
> >
> > Joan

---------- Forwarded message ----------
From: Mats Hovden <mats@hovden-konstruksjon.example>
Date: Thu, 9 Nov 2023 14:40

Dear Mr Nazari, yes, the linkspan at Skerrow is my design of 2021. The cylinders
were made by Rotherby Hydraulics, and they keep the seals in stock. We shall
send Ms Sunniva Brekke, our service engineer, on 20 November.

Kind regards, M. Hovden
"""

TICKETS = """\
Export of the booking help desk, 1 to 29 February 2024
Made by: Owen Trask, 1 March 2024
======================================================

#4471   opened 2 Feb, closed 6 Feb      priority: high
Subject: Payment page hangs after card number
Several customers (9 reports). The page turns white and no booking comes,
but the card is charged.
  3 Feb, O. Trask: can be repeated with long surnames only.
  5 Feb, O. Trask: passed to Cobalt Pay, who run the payment page for us.
  6 Feb, O. Trask: fixed on their side. Money paid twice was sent back.
Cause: the field for the name was cut off at 24 characters.

#4478   opened 7 Feb, closed 7 Feb      priority: low
Subject: Can't see the Little Wick sailings
Not a fault. They are summer only and are put on sale on 15 March.

#4480   opened 9 Feb, closed 21 Feb     priority: normal
Subject: Ten-trip card refused at the gate in Brae
Mrs P. Jago's card is read at Hollin Quay but not on the island.
  12 Feb, K. Sandry: reader at Brae changed, no better.
  19 Feb, K. Sandry: it is not the reader. Cards printed before December have the
  old chip. Customer gets a new card by post.
Owner: Kerra Sandry

#4486   opened 20 Feb, still open       priority: normal
Subject: Screen reader skips the vehicle length
Reported by a blind customer. The developer, Isak Lund of Northlight Web, has it
on his list for the April release.

#4491   opened 27 Feb, closed 28 Feb    priority: low
Subject: Receipt shows the wrong VAT number
The template was still the one from 2021. Corrected by O. Trask.
"""

PHONES = """\
name,role,site,extension,mobile
"Bolitho, Capt. Roger",master of MV Kittiwake,on board,301,0700 900 114
"Brewer, Tamsin",ticket office,Port Ansgar,244,
"Carrow, Lena",safety desk,Skerrow,262,0700 900 131
"Hambly, Nell",payroll,Quay House,118,
"Lindqvist, Capt. Astrid J.",master of MV Fulmar,on board,303,0700 900 120
"Nazari, Farid",operations manager,Quay House,105,0700 900 102
"Pascoe, Ingrid",managing director,Quay House,101,
"Pendry, Joan",harbour master until 31 May 2024,Skerrow,260,0700 900 133
"Pendry, Tom",chief engineer of MV Kittiwake,on board,311,0700 900 117
"Quillam, Beth",purchasing,Quay House,112,
"Reyes, Callum",deputy harbour master,Skerrow,264,0700 900 138
"Roe, Dilys",company secretary,Quay House,103,
"Sandry, Kerra",gate and card systems,Brae,281,
"Trask, Owen",booking help desk,Port Ansgar,240,
"""

NEWSLETTER = """\
<html>
<head><meta charset="utf-8"><title>The Gangway, spring 2024</title></head>
<body>
<div id="top"><a href="#a">Joan goes ashore</a> | <a href="#b">Ten questions</a> |
<a href="#c">Tea on the Fulmar</a> | <a href="#d">Fares</a></div>
<h1>The Gangway</h1>
<p class="sub">News for passengers of Tarn Sound Ferries. Spring 2024, no. 31.
Editor: Wenna Coad</p>

<h2 id="a">Joan goes ashore</h2>
<p>After 26 years, Joan Pendry retires as harbour master of Skerrow on 31 May. "I shall miss the
seals, not the paperwork," she says. Her post goes to Callum Reyes, who has been her deputy since
2018. He was born in Brae and learnt his trade with the pilots at Wexcombe.</p>

<h2 id="b">Ten questions for Capt. Lindqvist</h2>
<p>Astrid Lindqvist grew up in Osterhamn, within sight of the very yard where her ship was
built. She studied at the nautical college in Drammelund. Before breakfast, she swims.
Favourite view? "The lighthouse on Gull Skerry at six in the morning."</p>

<h2 id="c">Tea on the Fulmar</h2>
<p>The caf&eacute; on the upper deck has been let to Saffron Lane, a family firm from Little Wick.
The firm is run by Priya Nair, who used to cook for the lifeboat crew. Try the
seaweed scones, 2.80 pounds each.</p>

<h2 id="d">Fares from April</h2>
<p>Fares rise by about five per cent. Bicycles go free on both island routes, a wish that many
of you had sent us. Dogs went free already.</p>

<hr>
<p class="foot">The Gangway is printed by Harrow &amp; Finch on recycled paper. Unsubscribe at any
ticket office.</p>
</body>
</html>
"""

DOCUMENTS: Documents = {
    "README.md": README,
    "contract-fuel-2023-06-09.pdf": FUEL_CONTRACT,
    "minutes-2023-05-16.txt": MINUTES_MAY,
    "minutes-2023-09-12.txt": MINUTES_SEPTEMBER,
    "web/fleet.html": FLEET,
    "fares-2023.csv": FARES_2023,
    "fares-2024.csv": FARES_2024,
    "incident-2023-07.txt": INCIDENT,
    "crew-handbook.md": HANDBOOK,
    "mail-linkspan-2023-11-09.txt": LINKSPAN_MAIL,
    "tickets-2024-02.txt": TICKETS,
    "phone-list.csv": PHONES,
    "web/newsletter-spring-2024.html": NEWSLETTER,
}

QUESTIONS = (
    one(
        "What margin over the published index does Tarn Sound Ferries pay Brannock Fuels?",
        "4.2 pence per litre",
        (
            "contract-fuel-2023-06-09.pdf",
            "The price is the weekly published index plus a margin of 4.2 pence per litre.",
        ),
        also=("4.2 pence", "4.2 pence a litre", "4.2p per litre"),
    ),
    one(
        "Who put their name to the fuel agreement on behalf of Brannock?",
        "J. R. Tolland",
        (
            "contract-fuel-2023-06-09.pdf",
            "Signed for the Supplier by J. R. Tolland, Commercial Director.",
        ),
        also=("Tolland", "J.R. Tolland"),
    ),
    one(
        "When did Astrid Lindqvist take command of the Fulmar?",
        "1 June 2023",
        (
            "minutes-2023-05-16.txt",
            "Capt. A. J. Lindqvist is appointed master of MV Fulmar from 1 June.",
        ),
        also=("1 June", "June 1, 2023", "1st June 2023", "June 2023"),
    ),
    one(
        "How much money has finally been set aside for the Guillemot's refit?",
        "715,000 pounds",
        ("minutes-2023-09-12.txt", "The budget is raised to 715,000 pounds"),
        also=("715,000", "£715,000", "715000 pounds"),
    ),
    one(
        "What is the price of an adult single ticket from Hollin Quay to Brae from April 2024?",
        "11.80 pounds",
        ("fares-2024.csv", "Hollin Quay - Brae,adult single,11.80,2024-04-01,2025-03-31,"),
        also=("11.80", "£11.80", "GBP 11.80", "11.80 GBP"),
    ),
    one(
        "For how many days was the Kittiwake laid up after her accident at Skerrow?",
        "four days",
        ("incident-2023-07.txt", "The Kittiwake was out of service for four days."),
        also=("four", "4", "4 days"),
    ),
    one(
        "Which naval architect is behind the design of the Kittiwake?",
        "Tove Ranhild",
        (
            "web/fleet.html",
            "The lines of the Kittiwake were drawn by the naval architect Tove Ranhild.",
        ),
        also=("Ranhild",),
    ),
    one(
        "What kind of oil has to go into the linkspan at Skerrow?",
        "Verdol 46",
        (
            "mail-linkspan-2023-11-09.txt",
            "> > Also: the oil is to be the biodegradable sort, Verdol 46, nothing",
        ),
        also=("biodegradable", "the biodegradable sort", "biodegradable oil", "Verdol"),
    ),
    two(
        "In which town does the designer of the linkspan at Skerrow have his office?",
        "Torvik",
        ("mail-linkspan-2023-11-09.txt", "yes, the linkspan at Skerrow is my design of 2021."),
        (
            "mail-linkspan-2023-11-09.txt",
            "Mr Hovden's office is in Torvik, so they are an hour ahead of us.",
        ),
    ),
    two(
        "What is the extension of the man who takes over from Joan Pendry?",
        "264",
        ("web/newsletter-spring-2024.html", "Her post goes to Callum Reyes"),
        ("phone-list.csv", '"Reyes, Callum",deputy harbour master,Skerrow,264,0700 900 138'),
    ),
    two(
        "On which VHF channel is the harbour called where the Kittiwake hit the fender?",
        "14",
        ("incident-2023-07.txt", "Place: Skerrow, berth 2"),
        ("crew-handbook.md", "| Skerrow | 14 | Skerrow Harbour |"),
        also=("channel 14", "VHF channel 14"),
    ),
    two(
        "Which yard built the ship that Captain Lindqvist commands?",
        "Lysefjell Yard",
        (
            "minutes-2023-05-16.txt",
            "Capt. A. J. Lindqvist is appointed master of MV Fulmar from 1 June.",
        ),
        (
            "web/fleet.html",
            "<tr><td>MV Fulmar</td><td>2022</td><td>Lysefjell Yard, Osterhamn</td>"
            "<td>260</td><td>42</td></tr>",
        ),
        also=("Lysefjell", "Lysefjell Yard, Osterhamn", "the Lysefjell Yard"),
    ),
    two(
        "For how many years are the papers kept that are in the care of the company secretary?",
        "10 years",
        ("phone-list.csv", '"Roe, Dilys",company secretary,Quay House,103,'),
        (
            "README.md",
            "| minutes-* | board minutes, approved ones only | Dilys Roe | 10 years |",
        ),
        also=("10", "ten", "ten years"),
    ),
    two(
        "In what year was the woman born who succeeded Hugh Penrose?",
        "1961",
        ("minutes-2023-09-12.txt", "Hugh Penrose resigned on 31 July for reasons of health;"),
        (
            "minutes-2023-09-12.txt",
            "Simone Achterberg (born 1961), until last year head of accounts at the Wexcombe "
            "Harbour Trust, was elected treasurer without opposition.",
        ),
    ),
    two(
        "Who is the boss of the firm that runs the café on MV Fulmar?",
        "Priya Nair",
        (
            "web/newsletter-spring-2024.html",
            "The caf&eacute; on the upper deck has been let to Saffron Lane, a family firm from "
            "Little Wick.",
        ),
        ("web/newsletter-spring-2024.html", "The firm is run by Priya Nair"),
        also=("Nair", "Ms Nair"),
    ),
    two(
        "How many cars fit on the ship that stood in for the Kittiwake in August 2023?",
        "18",
        (
            "incident-2023-07.txt",
            "Her sailings were taken over by MV Guillemot, with fewer cars.",
        ),
        (
            "web/fleet.html",
            "<tr><td>MV Guillemot</td><td>1994</td><td>Mallin Dockyard</td><td>140</td>"
            "<td>18</td></tr>",
        ),
        also=("18 cars", "eighteen"),
    ),
    two(
        "Which of the two pump stations at Hollin Quay is older, the northern or the southern?",
        "North pump station",
        ("minutes-2023-09-12.txt", "the North pump station, built in 1988, cannot cope"),
        (
            "minutes-2023-09-12.txt",
            "The South pump station, which dates from 2016, ran without fault.",
        ),
        also=("the North pump station", "North", "the northern", "northern", "the northern one"),
    ),
    none("How much do the new seals for the linkspan at Skerrow cost?", "2,960 pounds"),
    none("Who designed MV Guillemot?", "Anders Quist"),
    none("In which year was Capt. Roger Bolitho born?", "1961"),
)
