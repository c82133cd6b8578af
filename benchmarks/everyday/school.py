"""Brambleton School, a village school with a bus, a kitchen and a parents' association."""

from __future__ import annotations

from benchmarks.everyday.material import Documents, none, one, two

TIMETABLE = """\
day,period,begins,ends,class,subject,teacher,room
Monday,1,8:40,9:25,5A,Mathematics,Ms Ferrante,12
Monday,2,9:30,10:15,5A,English,Mr Obuya,12
Monday,3,10:35,11:20,5A,Music,Mrs Lund,Hall
Tuesday,1,8:40,9:25,6B,Science,Dr Whitlock,Lab 2
Tuesday,2,9:30,10:15,6B,History,Mr Obuya,14
Wednesday,1,8:40,9:25,5A,Swimming,Mr Tarrant,Pool
Thursday,4,11:25,12:10,6B,French,Mme Corbeau,9
Friday,2,9:30,10:15,6B,Art,Mrs Lund,Studio
"""

BUS = """\
BRAMBLETON SCHOOL BUS
from 1 September 2025

Stop               Morning     Afternoon
Nether Farm        7.48        15.52
Quarry Cross       7.56        15.44
Post office        8.05        15.35
School             8.20        15.20

The bus is run by Hallett Coaches of Stoke Marden. The driver is Gus
Hallett; his telephone in the bus is 0555 611 742. A seat costs 46 pounds
a term, the second child of a family pays half. Children without a pass
will be taken home once, and after that not.

When there is ice, the bus does not go to Nether Farm. Parents are told
by text message before seven.
"""

LETTER = """\
# Letter to parents, October

Dear parents,

**Head lice.** They are back in the lower school. Please check hair on Sunday evening. The nurse,
Sister Aoife Byrne, is in school on Mondays and can lend you a comb.

**Trip to Castle Dunmore.** Year 6 goes on 14 November. The coach leaves at 8.15 sharp. The cost is
23
pounds, lunch included. Forms must be back by the end of October. Mr Obuya leads the trip; in the
spring he took the same class to the tin mine.

**New kitchen.** The old cooker gave out in June. The governors have bought a Brandt Eco 6, which
arrived
on 2 October. Our cook, Philomena Drew, is delighted. School lunch now costs 2.95 pounds a day, 25
pence
more than last year. Children with allergies: please tell the office, not the cook.

**Photographs** will be taken on 6 November by Lens & Daughter.

**Lost property.** Eleven jumpers, one trumpet. What is left at Christmas goes to the church.

Yours sincerely,
Harriet Pole, head teacher
"""

MAIL = """\
From: Harriet Pole <head@brambleton.example>
To: Desmond Achebe <d.achebe@governors.example>
Date: Mon, 20 Oct 2025 17:31:00 +0100
Subject: Re: The flat roof
MIME-Version: 1.0
Content-Type: text/plain; charset="utf-8"

Dear Desmond,

The surveyor came this morning. The roof over the lab leaks in three places, and he says it will not
last the winter. Mending costs 4,800 pounds, a new one 19,500. The county pays nothing towards
mending
but four fifths of a new roof, so I am for the new one.

The surveyor's name is Rufus Amory; he works for Marden Building Control. He will send the report by
Friday.

Dr Whitlock's lessons are in room 7 until it is done.

Harriet

> On 17 Oct 2025, Desmond Achebe wrote:
> Harriet, has anybody looked at the roof since the storm? As chair of the governors I get the
> telephone calls. The last repair was in 2019 and was done by Jessop Brothers, I believe.
> We shall not ask them again.
"""

ASSOCIATION = """\
PARENTS' ASSOCIATION, minutes of 9 September 2025

Present: Bella Scarfe, Yusuf Demir, Ottoline Frame, Mrs Pole; four parents.

1. Election. Bella Scarfe does not stand again after five years in the
   chair. Yusuf Demir was elected in her place with nine votes. The new
   secretary is Ottoline Frame. The treasurer stays.

2. Summer fair. It brought in 3,112 pounds, 400 more than in 2024. The
   cake stall alone took 640. The tombola was rained off.

3. The money. 1,500 goes to the library and 900 to the new drum kit,
   which Mrs Lund has chosen. The rest is kept for the trip fund.

4. Library. Ottoline reported that 212 books are missing. The shelves
   will be put up by the caretaker, Joss Venner, in half-term.

5. Quiz night: 21 November in the hall. Tickets 6 pounds. The questions
   come from Dr Whitlock.

6. It was proposed to buy a climbing frame. Put off.
"""

STAFF = """\
<!doctype html>
<html lang="en"><head><title>Who is who - Brambleton School</title></head>
<body>
<nav><a href="/">Home</a> <a href="/staff">Who is who</a> <a href="/dates">Dates</a></nav>
<h1>Who is who</h1>
<table>
<tr><th>Name</th><th>Teaches</th><th>Since</th><th>Form</th><th>E-mail</th></tr>
<tr><td>Harriet Pole</td><td>head teacher</td><td>2018</td><td></td>
<td>head@brambleton.example</td></tr>
<tr><td>Samuel Obuya</td><td>English, history</td><td>2011</td><td>6B</td>
<td>obuya@brambleton.example</td></tr>
<tr><td>Gianna Ferrante</td><td>mathematics</td><td>2022</td><td>5A</td>
<td>ferrante@brambleton.example</td></tr>
<tr><td>Ingrid Lund</td><td>music, art</td><td>2004</td><td></td>
<td>lund@brambleton.example</td></tr>
<tr><td>Claude Whitlock</td><td>science</td><td>2016</td><td>6A</td>
<td>whitlock@brambleton.example</td></tr>
</table>
<h2>Our head teacher</h2>
<p>Harriet Pole was deputy head of the grammar school in Ashmere before she came to us. She rows for
her village and has two grown-up sons.</p>
<h2>The house</h2>
<p>The school was founded in 1873 by the mill owner Tobias Brand. The hall was added in 1931; its
windows are by the glass painter Eloise Hart.</p>
</body></html>
"""

DOCUMENTS: Documents = {
    "timetable.csv": TIMETABLE,
    "bus.txt": BUS,
    "letter-october.md": LETTER,
    "mail-roof.eml": MAIL,
    "parents-association.txt": ASSOCIATION,
    "web/staff.html": STAFF,
}

QUESTIONS = (
    one("Where does class 5A have music?", "Hall", ("timetable.csv", "5A,Music,Mrs Lund,Hall")),
    one(
        "When does the Thursday French lesson start?",
        "11:25",
        ("timetable.csv", "Thursday,4,11:25,12:10,6B,French"),
        also=("11.25",),
    ),
    one(
        "Which company operates the school bus?",
        "Hallett Coaches",
        ("bus.txt", "The bus is run by Hallett Coaches of Stoke Marden."),
        also=("Hallett", "Hallett Coaches of Stoke Marden"),
    ),
    one(
        "How much is a place on the bus per term?",
        "46 pounds",
        ("bus.txt", "A seat costs 46 pounds a term"),
        also=("46", "46 pounds a term"),
    ),
    one(
        "Who can lend us a nit comb?",
        "Aoife Byrne",
        (
            "letter-october.md",
            "Sister Aoife Byrne, is in school on Mondays and can lend you a comb",
        ),
        also=("Sister Aoife Byrne", "the nurse"),
    ),
    one(
        "On what date do the sixth-years visit the castle?",
        "14 November",
        ("letter-october.md", "Year 6 goes on 14 November."),
        also=("14 November 2025",),
    ),
    one(
        "What does a school meal cost at present?",
        "2.95 pounds a day",
        ("letter-october.md", "School lunch now costs 2.95 pounds a day"),
        also=("2.95 pounds", "2.95"),
    ),
    one(
        "Who takes the class pictures this year?",
        "Lens & Daughter",
        ("letter-october.md", "will be taken on 6 November by Lens & Daughter"),
    ),
    one(
        "What would a completely new roof over the lab cost?",
        "19,500",
        ("mail-roof.eml", "Mending costs 4,800 pounds, a new one 19,500."),
        also=("19,500 pounds",),
    ),
    one(
        "Who is presiding over the board of governors?",
        "Desmond Achebe",
        ("mail-roof.eml", "On 17 Oct 2025, Desmond Achebe wrote:"),
        also=("Achebe",),
    ),
    one(
        "How much did the summer fair earn in 2025?",
        "3,112 pounds",
        ("parents-association.txt", "It brought in 3,112 pounds"),
        also=("3,112",),
    ),
    one(
        "How many books have disappeared from the library?",
        "212",
        ("parents-association.txt", "212 books are missing"),
        also=("212 books",),
    ),
    one(
        "Who made the windows of the hall?",
        "Eloise Hart",
        ("web/staff.html", "windows are by the glass painter Eloise Hart"),
        also=("the glass painter Eloise Hart",),
    ),
    one(
        "Since when has Mr Obuya been teaching here?",
        "2011",
        ("web/staff.html", "<td>Samuel Obuya</td><td>English, history</td><td>2011</td>"),
        also=("since 2011",),
    ),
    two(
        "What is the e-mail address of the form teacher of 5A?",
        "ferrante@brambleton.example",
        ("web/staff.html", "<td>ferrante@brambleton.example</td>"),
        ("web/staff.html", "<td>Gianna Ferrante</td><td>mathematics</td><td>2022</td><td>5A</td>"),
    ),
    two(
        "In what year did the teacher join who picked the drum kit?",
        "2004",
        ("parents-association.txt", "which Mrs Lund has chosen"),
        ("web/staff.html", "<td>Ingrid Lund</td><td>music, art</td><td>2004</td>"),
    ),
    two(
        "For whom does the man work who inspected the roof?",
        "Marden Building Control",
        ("mail-roof.eml", "he works for Marden Building Control"),
        ("mail-roof.eml", "The surveyor came this morning."),
    ),
    two(
        "At which school was the author of the letter to parents before?",
        "the grammar school in Ashmere",
        ("web/staff.html", "Harriet Pole was deputy head of the grammar school in Ashmere"),
        ("letter-october.md", "Harriet Pole, head teacher"),
        also=("grammar school in Ashmere", "grammar school", "Ashmere"),
    ),
    two(
        "How many votes did the successor of Bella Scarfe receive?",
        "nine",
        ("parents-association.txt", "was elected in her place with nine votes"),
        ("parents-association.txt", "Bella Scarfe does not stand again"),
        also=("9", "nine votes"),
    ),
    two(
        "Which class is taught by the person who sets the quiz questions?",
        "6B",
        ("parents-association.txt", "The questions come from Dr Whitlock."),
        ("timetable.csv", "6B,Science,Dr Whitlock,Lab 2"),
        also=("6A",),
    ),
    two(
        "What is the phone number of the driver of the school bus?",
        "0555 611 742",
        ("bus.txt", "his telephone in the bus is 0555 611 742"),
        ("bus.txt", "The driver is Gus Hallett"),
    ),
    none("What did the drum kit cost in the shop?", "900"),
    none("Who repaired the roof in 2023?", "Jessop Brothers"),
    none("When was Philomena Drew hired?", "2 October"),
    none("How much does a ticket for the trip to the tin mine cost?", "2.95 pounds"),
    none("Who is the treasurer of the parents' association?", "Ottoline Frame"),
)
