"""Tollgate Vets, a veterinary practice with a main surgery and a branch."""

from __future__ import annotations

from benchmarks.everyday.material import Documents, none, one, two

HANDBOOK = """\
# Practice handbook

For everybody who works at Tollgate Vets, Marrowby and Upper Stane. Ask Conrad Peel when something
here is out of date.

## Opening times

Marrowby is open from 8.30 to 18.30 on weekdays and from 9 to 12.30 on Saturdays. The branch at
Upper Stane sees patients on Tuesday and Thursday afternoons only, by appointment.

## Out of hours

From 18.30 the telephone is switched over to Nightpaws in Eddle, who see our patients until eight
in the morning. They charge owners directly: a consultation there comes to 185 pounds before any
treatment. Their number is 0555 410 220.

## Medicines

- The cabinet for controlled drugs stands in the pharmacy. Two people sign for each withdrawal.
- The keys to it are with the vet on duty, never with reception.
- Fridge temperatures are written down twice a day; between 2 and 8 °C is right.
- Expired stock goes into the blue bin. Veridisp empties it on the first Monday of each month.

## Leave

Full-time staff have 27 days of leave a year besides bank holidays. Requests go to the practice
manager six weeks ahead. Nobody is away in the first half of March, because of the lambing.

## Sickness

Ring reception before 7.45. From the fourth day we need a doctor's note.

## Clothing

Green tunics are for nurses, navy ones for vets. They are washed by Pressby Laundry, who collect on
Wednesdays. Shoes must be closed. We pay up to 60 pounds a year towards them.

## Training

Each vet has 1,400 pounds a year for courses, nurses have 650. It cannot be carried over.
"""

LEASE = """\
LEASE OF THE GROUND FLOOR, 12 MILL STREET, UPPER STANE

Date of this lease: 3 March 2021

Landlord:   Mrs Honor Askwith, of Stane Grange
Tenant:     Tollgate Vets LLP, 4 Tollgate, Marrowby

1. Term. The Landlord lets the ground floor to the Tenant for ten years
   beginning on 25 March 2021. The Tenant may end the lease after five
   years by giving nine months' notice in writing.

2. Rent. The rent is 14,200 pounds a year, payable by equal quarterly
   instalments in advance. No rent is due for the first three months.
   The rent shall be reviewed on 25 March 2026.

3. Deposit. The Tenant has paid a deposit of 3,550 pounds, which is held
   by Messrs Coyle & Partridge, solicitors, of Eddle.

4. Use. The premises shall be used as a veterinary surgery. Animals shall
   not be kept on the premises overnight.

5. Repairs. The Tenant keeps the inside in repair. The roof, the outside
   walls and the yard drain are the affair of the Landlord.

6. Parking. Three spaces in the yard are for the Tenant's customers. The
   fourth belongs to the flat upstairs.

Signed for the Tenant by Ilse Varga and Piet Maas, partners.
"""

PRICES_2024 = """\
code,service,species,price GBP,duration (min),valid from
C01,first consultation,any,52.00,15,2024-01-01
C02,repeat consultation,any,38.00,10,2024-01-01
V10,yearly vaccination,dog,61.00,15,2024-01-01
V11,yearly vaccination,cat,57.50,15,2024-01-01
V12,yearly vaccination,rabbit,64.00,15,2024-01-01
N20,neutering,tomcat,98.00,30,2024-01-01
D31,scale and polish,dog,310.00,60,2024-01-01
M05,microchip,any,24.00,5,2024-01-01
"""

PRICES_2025 = """\
code,service,species,price GBP,duration (min),valid from
C01,first consultation,any,56.00,15,2025-02-01
C02,repeat consultation,any,41.00,10,2025-02-01
V10,yearly vaccination,dog,66.00,15,2025-02-01
V11,yearly vaccination,cat,62.00,15,2025-02-01
V12,yearly vaccination,rabbit,68.50,15,2025-02-01
N20,neutering,tomcat,105.00,30,2025-02-01
D31,scale and polish,dog,345.00,70,2025-02-01
M05,microchip,any,25.50,5,2025-02-01
L44,laser therapy,any,48.00,20,2025-02-01
"""

STAFF = """\
Name,Role,Site,Ext.,Mobile
"Varga, Ilse",senior partner,Marrowby,11,0700 118 204
"Peel, Conrad",practice manager,Marrowby,15,0700 118 377
"Brady, Nuala",head nurse,Marrowby,21,
"Okafor, Tam",vet (small animals),Marrowby,18,0700 118 590
"Lindqvist-Shaw, Petra",vet (farm),Marrowby,19,0700 118 663
"Dacre, Owen",veterinary nurse,Upper Stane,42,
"Mistry, Leela",receptionist,Marrowby,10,
"Sallow, Jem",receptionist,Upper Stane,40,
"Quist, Marta",bookkeeper,Marrowby,16,
"""

MINUTES = """\
TOLLGATE VETS LLP
Partners' meeting, Thursday 14 November 2024, 19.00, upstairs at Marrowby

There:    Ilse Varga (chair), Piet Maas, Conrad Peel (minutes)
Absent:   none

1. Piet retires on 31 January 2025 after twenty-six years. The share he
   holds goes to Tam Okafor, who becomes partner on the day after. The
   farm round will be Petra's from then on.

2. X-ray. The old machine failed its inspection. CP had asked for three
   quotations. Decided: the Corvus R7 from Halmond Imaging, 38,400
   pounds with installation. The Bremer machine was 5,000 dearer and
   was turned down.

3. The branch. Takings at Upper Stane were 71,300 pounds in the year to
   September, up by a tenth. IV proposed a third afternoon; put off
   until a second nurse is found.

4. The insurance with Fenland Mutual ends in April. CP thinks they have
   become too dear and will talk to Garrick Cover. No decision yet.

5. Complaint of Mr Aldous Thorne: his spaniel was given the wrong food
   after an operation. Nuala spoke to him; he was sent flowers and no
   bill. The kennel cards will be printed in two colours.

6. Staff party: 20 December at the Saracen, paid for by the partners.

Next meeting: 16 January 2025.
"""

MAIL_XRAY = """\
From: Conrad Peel <conrad.peel@tollgatevets.example>
To: Ilse Varga <ilse.varga@tollgatevets.example>
Cc: Nuala Brady <nuala.brady@tollgatevets.example>
Date: Tue, 10 Dec 2024 16:12:40 +0000
Subject: Re: X-ray room, when?
Message-ID: <20241210-3@tollgatevets.example>
MIME-Version: 1.0
Content-Type: text/plain; charset="utf-8"

Ilse,

Halmond have confirmed: the machine comes on 21 January and their fitter, a Mr Gregor Pask, needs
two days. We shall send fractures to Eddle in the meantime.

The lead for the door is not in their price. Bowker & Daughter will line it for 2,150 pounds; they
did the theatre at the cottage hospital, so they know the rules.

Nuala goes on the radiation course in Torrhaven on 8 January. She will be our radiation protection
supervisor afterwards, since Piet, who has it now, is leaving.

Conrad

On Mon, 9 Dec 2024 at 20:31, Ilse Varga wrote:
> Conrad, has Halmond said when they deliver? And who looks after the guarantee? For the old
> one we paid 90 pounds an hour for every visit.
>
> On Mon, 9 Dec 2024 at 12:02, Conrad Peel wrote:
> > Guarantee is three years, parts and work. After that their service contract is
> > 1,260 pounds a year, if we want it.
"""

TEAM = """\
<!doctype html>
<html lang="en"><head><title>Our team - Tollgate Vets</title></head>
<body>
<nav><a href="/">Home</a> | <a href="/team">Our team</a> | <a href="/prices">Prices</a> |
<a href="/contact">Contact</a></nav>
<h1>Our team</h1>
<h2>Ilse Varga</h2>
<p>Ilse studied in Budapest and joined us in 2006. She is our eye specialist. At home she is
outvoted by two lurchers.</p>
<h2>Tam Okafor</h2>
<p>Tam came to Marrowby from the animal hospital in Torrhaven in 2019. He is in charge of
dentistry, and mends clocks in his spare time.</p>
<h2>Petra Lindqvist-Shaw</h2>
<p>Petra grew up on a dairy farm near Brough End. She qualified in 2015 and treats everything with
hooves. Her van is the yellow one.</p>
<h2>Nuala Brady</h2>
<p>Our head nurse since 2017, when she followed Bridget Lowe. She runs the puppy classes, which are
held on Monday evenings in the church hall.</p>
<h2>Owen Dacre</h2>
<p>Owen is the nurse at Upper Stane. He looks after the diabetic clinic and keeps eleven
tortoises.</p>
<footer>Tollgate Vets LLP, 4 Tollgate, Marrowby. Reception 0555 410 118.</footer>
</body></html>
"""

NEWS = """\
<!doctype html>
<html lang="en"><head><title>News - Tollgate Vets</title></head>
<body>
<nav><a href="/">Home</a> | <a href="/team">Our team</a> | <a href="/prices">Prices</a></nav>
<h1>News from the practice, spring 2025</h1>
<h2>Laser therapy</h2>
<p>Since February we have offered laser therapy for stiff joints. The treatment is given by Owen
Dacre, who trained for it in Leiden. Most dogs need six sessions.</p>
<h2>Farewell, Piet</h2>
<p>Piet Maas has hung up his wellingtons. He founded the branch at Upper Stane in 2003, in what had
been the butcher's shop. He and his wife are moving to Texel to breed sheep.</p>
<h2>Food recall</h2>
<p>If you bought Hollybank Senior kibble from us between 3 and 17 February, please bring it back:
the maker, Orrin Petfoods, has found mould in batch K-2207. Forty-one bags were sold in
Marrowby and none in Upper Stane.</p>
<h2>Charity walk</h2>
<p>The walk on 11 May goes from the lock at Eddle to Stane Bridge. It raises money for the
hedgehog hospital that Leela Mistry set up. Last year's brought in 2,870 pounds.</p>
</body></html>
"""

STOCK = """\
item,pack,supplier,reorder at,shelf,remarks
Meloxivet drops,32 ml,Danebrook Wholesale,12,A3,
Isoflurane,250 ml,Danebrook Wholesale,4,locked,
Buster collars,10,Petley & Rudd,6,C1,size 15 from another firm
Suture 3-0,36,Sertex,10,B2,
Hollybank Senior,3 kg,Orrin Petfoods,8,shop,recalled - do not sell batch K-2207
Insulin (Canisul),10 ml,Danebrook Wholesale,5,fridge,for the clinic at Upper Stane
Gloves nitrile M,100,Sertex,20,B5,
"""

DOCUMENTS: Documents = {
    "practice-handbook.md": HANDBOOK,
    "lease-upper-stane.txt": LEASE,
    "prices-2024.csv": PRICES_2024,
    "prices-2025.csv": PRICES_2025,
    "staff.csv": STAFF,
    "minutes-2024-11-14.txt": MINUTES,
    "mail-xray-2024-12-10.eml": MAIL_XRAY,
    "web/team.html": TEAM,
    "web/news.html": NEWS,
    "stock.csv": STOCK,
}

QUESTIONS = (
    one(
        "How much do we pay per year for the premises in Mill Street?",
        "14,200 pounds",
        ("lease-upper-stane.txt", "The rent is 14,200 pounds a year"),
        also=("14,200", "£14,200", "14,200 pounds a year"),
    ),
    one(
        "What does it cost now to have a cat vaccinated each year?",
        "62.00",
        ("prices-2025.csv", "V11,yearly vaccination,cat,62.00,15,2025-02-01"),
        also=("62", "£62", "62 pounds", "£62.00", "62.00 GBP", "GBP 62.00"),
    ),
    one(
        "Whom do owners reach when they ring at midnight?",
        "Nightpaws",
        (
            "practice-handbook.md",
            "From 18.30 the telephone is switched over to Nightpaws in Eddle",
        ),
        also=("Nightpaws in Eddle",),
    ),
    one(
        "Who is keeping the deposit that we paid for the branch?",
        "Messrs Coyle & Partridge",
        ("lease-upper-stane.txt", "which is held by Messrs Coyle & Partridge, solicitors"),
        also=("Coyle & Partridge",),
    ),
    one(
        "Under which internal number do I get the bookkeeper?",
        "16",
        ("staff.csv", '"Quist, Marta",bookkeeper,Marrowby,16,'),
        also=("ext. 16", "extension 16"),
    ),
    one(
        "Which company does our washing?",
        "Pressby Laundry",
        ("practice-handbook.md", "They are washed by Pressby Laundry"),
        also=("Pressby",),
    ),
    one(
        "How long is the guarantee on the new X-ray machine?",
        "three years",
        ("mail-xray-2024-12-10.eml", "> > Guarantee is three years, parts and work."),
        also=("3 years", "three"),
    ),
    one(
        "How many bags of the mouldy kibble did we sell in Marrowby?",
        "Forty-one",
        ("web/news.html", "Forty-one bags were sold in Marrowby"),
        also=("41", "forty-one bags", "41 bags"),
    ),
    one(
        "From whom do we buy our suture material?",
        "Sertex",
        ("stock.csv", "Suture 3-0,36,Sertex,10,B2,"),
    ),
    one(
        "Who handles dental work?",
        "Tam Okafor",
        ("web/team.html", "Tam came to Marrowby"),
        ("web/team.html", "He is in charge of dentistry"),
        also=("Tam", "Okafor", "Okafor, Tam"),
    ),
    one(
        "On what day did Piet Maas stop working for the practice?",
        "31 January 2025",
        ("minutes-2024-11-14.txt", "Piet retires on 31 January 2025"),
        also=("31 January",),
    ),
    one(
        "What did the branch earn in the year up to September 2024?",
        "71,300 pounds",
        ("minutes-2024-11-14.txt", "Takings at Upper Stane were 71,300 pounds"),
        also=("71,300", "£71,300"),
    ),
    one(
        "How much notice must we give if we want to leave the branch early?",
        "nine months",
        ("lease-upper-stane.txt", "by giving nine months' notice in writing"),
        also=("9 months", "nine months'", "nine months' notice"),
    ),
    one(
        "How many tortoises does the nurse at Upper Stane have?",
        "eleven",
        ("web/team.html", "keeps eleven tortoises"),
        also=("11", "eleven tortoises"),
    ),
    two(
        "What is the mobile number of the vet who takes over the farm round?",
        "0700 118 663",
        ("minutes-2024-11-14.txt", "The farm round will be Petra's from then on."),
        ("staff.csv", '"Lindqvist-Shaw, Petra",vet (farm),Marrowby,19,0700 118 663'),
    ),
    two(
        "In which town did the person train who gives the laser treatment?",
        "Leiden",
        (
            "web/news.html",
            "The treatment is given by Owen Dacre, who trained for it in Leiden.",
        ),
        ("web/news.html", "The treatment is given by Owen Dacre"),
    ),
    two(
        "What is the name of the man who will fit the machine that replaces the failed one?",
        "Gregor Pask",
        ("minutes-2024-11-14.txt", "the Corvus R7 from Halmond Imaging"),
        ("mail-xray-2024-12-10.eml", "their fitter, a Mr Gregor Pask, needs two days"),
        also=("Mr Gregor Pask", "Pask"),
    ),
    two(
        "When did the head nurse's predecessor hand over to her?",
        "2017",
        ("web/team.html", "Our head nurse since 2017, when she followed Bridget Lowe."),
        ("staff.csv", '"Brady, Nuala",head nurse,Marrowby,21,'),
        also=("in 2017",),
    ),
    two(
        "On which shelf are the gloves kept that come from the suture firm?",
        "B5",
        ("stock.csv", "Suture 3-0,36,Sertex,10,B2,"),
        ("stock.csv", "Gloves nitrile M,100,Sertex,20,B5,"),
        also=("shelf B5",),
    ),
    two(
        "Where did Piet Maas's successor as partner work before he came to us?",
        "the animal hospital in Torrhaven",
        ("minutes-2024-11-14.txt", "goes to Tam Okafor, who becomes partner on the day after"),
        (
            "web/team.html",
            "Tam came to Marrowby from the animal hospital in Torrhaven in 2019.",
        ),
        also=("animal hospital in Torrhaven", "Torrhaven", "animal hospital"),
    ),
    two(
        "What is the extension of the colleague who set up the hedgehog hospital?",
        "10",
        ("web/news.html", "the hedgehog hospital that Leela Mistry set up"),
        ("staff.csv", '"Mistry, Leela",receptionist,Marrowby,10,'),
        also=("ext. 10", "extension 10"),
    ),
    two(
        "Who set up the branch where Owen Dacre is the nurse?",
        "Piet Maas",
        ("web/news.html", "Piet Maas has hung up his wellingtons."),
        ("web/team.html", "Owen is the nurse at Upper Stane."),
        also=("Piet", "Maas"),
    ),
    two(
        "How much do the people charge for the door who did the cottage hospital's theatre?",
        "2,150 pounds",
        (
            "mail-xray-2024-12-10.eml",
            "Bowker & Daughter will line it for 2,150 pounds; they did the theatre at the "
            "cottage hospital",
        ),
        ("mail-xray-2024-12-10.eml", "The lead for the door is not in their price."),
        also=("2,150", "£2,150"),
    ),
    two(
        "In which street is the house whose yard drain Mrs Askwith has to mend?",
        "Mill Street",
        ("lease-upper-stane.txt", "LEASE OF THE GROUND FLOOR, 12 MILL STREET, UPPER STANE"),
        ("lease-upper-stane.txt", "Landlord:   Mrs Honor Askwith, of Stane Grange"),
        also=("12 Mill Street", "12 Mill Street, Upper Stane"),
    ),
    none("Who insures the practice since April 2025?", "Garrick Cover"),
    none("What is Nuala Brady's mobile number?", "0700 118 377"),
    none("In which year did Owen Dacre qualify as a nurse?", "2015"),
    none("How much did the staff party at the Saracen cost?", "2,870"),
)
