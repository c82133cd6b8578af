"""The Lantern, a small theatre in an old rope works, run by a trust."""

from __future__ import annotations

from benchmarks.everyday.material import Documents, none, one, two

SEASON = """\
<!doctype html>
<html lang="en"><head><title>Autumn season - The Lantern, Corran</title></head>
<body>
<header><a href="/">The Lantern</a> <a href="/season">Season</a> <a href="/hire">Hire</a>
<a href="/visit">Your visit</a></header>
<h1>Autumn season 2025</h1>
<table>
<tr><th>Production</th><th>Company</th><th>Director</th><th>First night</th>
<th>Running time</th></tr>
<tr><td>The Salt Road</td><td>own production</td><td>Imogen Farrow</td><td>12 September</td>
<td>2 h 10</td></tr>
<tr><td>Mister Quill</td><td>Brasstacks</td><td>Dario Venn</td><td>3 October</td>
<td>95 min</td></tr>
<tr><td>Winter Bees</td><td>own production</td><td>Kwame Adjei</td><td>14 November</td>
<td>1 h 50</td></tr>
<tr><td>The Cobbler's Geese</td><td>Threadbare Puppets</td><td>Sunniva Holt</td><td>6 December</td>
<td>55 min</td></tr>
</table>
<h2>About the plays</h2>
<p><em>The Salt Road</em> was written for us by Edda Marchetti, who teaches at the grammar school
in Corran. The songs are by Lowell Finch.</p>
<p><em>Winter Bees</em> won the Tamar Prize in 2023. Its author, Joss Penhallow, keeps bees
himself. It is not suitable for children under twelve.</p>
<p>For <em>Mister Quill</em> doors open half an hour before the beginning. There is no interval.</p>
<h2>Talks</h2>
<p>After the second night of each play the director answers questions in the Ropewalk Bar.</p>
<footer>The Lantern Theatre Trust, 9 Ropewalk, Corran. Box office 0555 220 909, Tuesday to Saturday
from 11.</footer>
</body></html>
"""

HIRE = """\
AGREEMENT FOR THE HIRE OF THE AUDITORIUM

between The Lantern Theatre Trust ("the Theatre") and
St Brannoc's School, Corran ("the Hirer")

1. The Theatre lets the auditorium, the dressing rooms and the foyer to
   the Hirer from 23 to 27 June 2025 for the school's production.

2. The Hirer pays 2,900 pounds for the five days. A quarter of it is due
   on signing and the rest by 30 May 2025. Each hour after 22.30 costs
   a further 85 pounds.

3. The sum includes one technician. The Hirer shall not operate the
   lighting desk without him.

4. The Hirer may cancel free of charge up to eight weeks before the first
   day. After that, half of the sum is payable.

5. No more than 180 persons may be in the auditorium. Scenery must have
   been treated against fire.

6. The bar is kept by the Theatre. Food is not brought in from outside.

Signed on 18 February 2025
for the Theatre: Ottilie Crane, general manager
for the Hirer:   Revd Basil Tregear, headmaster
"""

TRUSTEES = """\
# Trustees' meeting, 4 February 2025

Present: Sir Denzil Rowe (chair), Fenella Marsh, Abel Nwosu, Ottilie Crane (general manager).
Apologies: Gwilym Tate.

## Accounts

The year closed with a surplus of £6,480, after a loss of £11,200 the year before. Fenella Marsh,
our treasurer, warned that the heating will eat most of it. The accounts were
audited by Rudge Bevan.

## Roof

The slates over the scene dock let in water. Three firms have looked at it. **Cawdrey Roofing** gets
the work for £27,600; Polworth asked for £31,000. It must be finished before the season opens.
The county gives £10,000 towards it, the rest comes from the Hartnoll bequest.

## Staff

- Milo Strand gives up the post of technical manager at Easter. He goes to the opera house in
  Vennborough. **Anneliese Roth** has been appointed in his place; until now she was his deputy.
- The box office will be led by Teodor Lisk from 1 March. Hattie Bligh, who has led it for nine
  years, stays on for two days a week.

## Seats

The new seats in rows A to F have been ordered from Sedgewick Seating. They are 52 cm wide, the old
ones were 47. The trustees would like to name them after donors, at £250 each. Deferred to May.

## Patron

Dame Rosalba Keane has agreed to be our patron. She made her first appearance on our stage in 1978,
as a sheep.
"""

PRICES = """\
area,full,concession,child,school group,seats
Stalls A-F,24.00,20.00,12.00,9.00,72
Stalls G-M,19.50,16.00,10.00,8.00,84
Balcony,14.00,11.50,7.00,6.00,38
Box,32.00,32.00,32.00,,6
"""

MAIL_LIGHTS = """\
From: Anneliese Roth <a.roth@lantern.example>
To: Ottilie Crane <o.crane@lantern.example>
Date: Thu, 8 May 2025 09:47:03 +0100
Subject: Re: Re: dimmers
MIME-Version: 1.0
Content-Type: text/plain; charset="utf-8"

Dear Ottilie,

I have been through the offers. Lumitek want 8,300 for the dimmers and cannot come before October,
which is no use to us. Stagecraft North are at 8,950 and would do it in the third week of July. I
have told them yes, as you said I might.

The desk itself stays. It is a Prisma 48 of 2016; the makers, a firm called Ardan Audio-Visual
in Kilbride, will keep selling parts for it until 2031.

For the school week Pavel will be at the desk. He has done it three times.

Anneliese

> On 6 May 2025, Ottilie Crane wrote:
> Anneliese, two things. Who will be the technician for St Brannoc's? And the insurers (Merrow
> Assurance) insist that the dimmers are replaced by the end of August. They must not cost us
> more than 9,000.
>
> > On 5 May 2025, Anneliese Roth wrote:
> > Dimmer rack 2 tripped again on Saturday, in the middle of the second act. That's the
> > fourth time since Easter.
"""

VOLUNTEERS = """\
name,since,task,evenings,key no.,e-mail
Bram Oakley,2011,bar,Fri Sat,7,bram.oakley@post.example
Cecily Dunn,2019,ushers,Sat,,cecily.d@post.example
Hamza Rafiq,2016,wardrobe,Wed,12,hamza.rafiq@post.example
Ingram Lyle,2008,archive,Tue,3,i.lyle@post.example
Josefa Pinto,2022,posters,,,josefa@post.example
Noor Haddad,2014,first aid,Fri,15,noor.h@post.example
Wynn Jago,2020,bar,Thu,8,wynn.jago@post.example
"""

TECHNICAL = """\
# Technical specification

Keeper of this page: the technical manager.

## Stage

| What               | Measure |
|--------------------|---------|
| Width of opening   | 7.8 m   |
| Depth              | 6.4 m   |
| Height to the grid | 5.2 m   |
| Rake               | none    |

The load on the stage floor must not exceed 400 kg per square metre. The trap measures 90 by 90 cm
and is nailed shut.

## Sound

The mixer is a Corbel 24. Radio microphones: eight, of which two are lent to the grammar school
until Christmas. Batteries are in the drawer under the desk.

## Getting in

Lorries come by Tar Lane; the gate is 3.1 m high. The code of the stage door changes monthly and is
known to the duty manager. Steel doors must be closed when the house is in.

## Fly floor

Nobody goes up without a helmet. The hemp lines were renewed by Hobday Riggers in 2022 and have to
be inspected every two years.

## Heating

The boiler (Calix 90) is in the cellar. It was installed in 2009, not in 2012 as the plate says.
When it drops out, ring Messrs Gantry, who have the service contract: 0555 220 414.
"""

NEWSLETTER = """\
THE LANTERN LETTER
For friends and volunteers, June 2025

THE ROOF IS DONE
Cawdrey's men took down the last scaffold on 2 June, nine days early. In
the rafters they found a playbill of 1884. Our archivist has had it
framed; it hangs in the foyer.

HELLO, TEODOR
Teodor Lisk, who used to sell tickets for the steam railway at Polgarth,
has taken over the box office. He speaks five languages and is learning
to juggle. New from him: you may bring back tickets up to 48 hours before
the show for a voucher.

THE CAFE
The cafe in the foyer is no longer run by Bean & Gone. From September it
will be in the hands of the Marram Bakery, whose owner, Delphine Orme,
has promised saffron buns. Until then there is a machine.

COSTUME SALE
Hamza Rafiq's costume sale made 1,345 pounds. The money goes towards a
steam iron and the children's workshop.

WORKSHOP
The children's workshop in August is led by Sunniva Holt of Threadbare
Puppets. It lasts five days and costs 95 pounds a child. There are
sixteen places.

THANK YOU
to Captain Elias Hartnoll, who left us 40,000 pounds in his will. He had
the same seat for thirty years: F14.
"""

VISIT = """\
# Your visit

**Getting here.** The Lantern is four minutes' walk from Corran station. The last train to
Vennborough leaves at 22.52. There is no car park; the nearest is behind the fish market, where an
evening costs 3.50 pounds.

**Access.** Two places for wheelchairs are in row G. Assistance dogs are welcome. The lift takes
one chair at a time and holds 300 kg. A hearing loop works in the stalls, but not in the balcony.

**Latecomers** are let in at the first suitable pause.

**Lost something?** Things found are kept for six weeks by the stage door, then they go to the
hospice shop. Ask for Mrs Ivy Tolliver.

**History.** The house was built as a rope works in 1791. It became a theatre in 1926, and burned
down in part in 1953. The architect of the new foyer, opened in 2004, was Benedikt Osei.
"""

DOCUMENTS: Documents = {
    "web/season.html": SEASON,
    "hire-st-brannocs.txt": HIRE,
    "trustees-2025-02-04.md": TRUSTEES,
    "ticket-prices.csv": PRICES,
    "mail-dimmers-2025-05-08.eml": MAIL_LIGHTS,
    "volunteers.csv": VOLUNTEERS,
    "technical-spec.md": TECHNICAL,
    "newsletter-2025-06.txt": NEWSLETTER,
    "visit.md": VISIT,
}

QUESTIONS = (
    one(
        "When is the premiere of Winter Bees?",
        "14 November",
        (
            "web/season.html",
            "<tr><td>Winter Bees</td><td>own production</td><td>Kwame Adjei</td>"
            "<td>14 November</td>",
        ),
        also=("14 November 2025",),
    ),
    one(
        "Who wrote the play about the salt road?",
        "Edda Marchetti",
        ("web/season.html", "was written for us by Edda Marchetti"),
        also=("Marchetti",),
    ),
    one(
        "What is the school paying to use the theatre in June?",
        "2,900 pounds",
        ("hire-st-brannocs.txt", "The Hirer pays 2,900 pounds for the five days."),
        also=("2,900", "£2,900"),
    ),
    one(
        "Which firm mended the roof over the scene dock?",
        "Cawdrey Roofing",
        ("trustees-2025-02-04.md", "**Cawdrey Roofing** gets the work for £27,600"),
        also=("Cawdrey", "Cawdrey's men"),
    ),
    one(
        "What do I pay for a child in the balcony?",
        "7.00",
        ("ticket-prices.csv", "Balcony,14.00,11.50,7.00,6.00,38"),
        also=("7", "7 pounds", "£7.00", "£7"),
    ),
    one(
        "What does the theatre's lift carry at most?",
        "300 kg",
        ("visit.md", "The lift takes one chair at a time and holds 300 kg."),
        also=("300", "300 kilos"),
    ),
    one(
        "Who looks after the money on the board of trustees?",
        "Fenella Marsh",
        ("trustees-2025-02-04.md", "Fenella Marsh, our treasurer, warned"),
        also=("Marsh",),
    ),
    one(
        "How deep is the stage?",
        "6.4 m",
        ("technical-spec.md", "| Depth              | 6.4 m   |"),
        also=("6.4", "6.4 metres"),
    ),
    one(
        "Until when will spare parts for the lighting desk be sold?",
        "2031",
        ("mail-dimmers-2025-05-08.eml", "will keep selling parts for it until 2031"),
        also=("until 2031",),
    ),
    one(
        "At what time does the last train to Vennborough go?",
        "22.52",
        ("visit.md", "The last train to Vennborough leaves at 22.52."),
        also=("22:52", "at 22.52"),
    ),
    one(
        "Who will be running the foyer cafe from the autumn?",
        "Marram Bakery",
        ("newsletter-2025-06.txt", "it will be in the hands of the Marram Bakery"),
        also=("the Marram Bakery", "Delphine Orme"),
    ),
    one(
        "How many children can take part in the summer workshop?",
        "sixteen",
        ("newsletter-2025-06.txt", "There are sixteen places."),
        also=("16", "sixteen places"),
    ),
    one(
        "In which year was the foyer that Osei planned opened to the public?",
        "2004",
        ("visit.md", "The architect of the new foyer, opened in 2004, was Benedikt Osei."),
    ),
    one(
        "Who did the ropes on the fly floor?",
        "Hobday Riggers",
        ("technical-spec.md", "The hemp lines were renewed by Hobday Riggers in 2022"),
        also=("Hobday",),
    ),
    two(
        "Where is the technical manager going whom Anneliese Roth replaces?",
        "the opera house in Vennborough",
        ("trustees-2025-02-04.md", "He goes to the opera house in Vennborough."),
        ("trustees-2025-02-04.md", "**Anneliese Roth** has been appointed in his place"),
        also=("opera house in Vennborough", "Vennborough", "the opera house", "opera house"),
    ),
    two(
        "How long does the play last that Dario Venn directs?",
        "95 min",
        (
            "web/season.html",
            "<tr><td>Mister Quill</td><td>Brasstacks</td><td>Dario Venn</td>"
            "<td>3 October</td>\n<td>95 min</td></tr>",
        ),
        ("web/season.html", "<td>Dario Venn</td>"),
        also=("95 minutes", "95"),
    ),
    two(
        "What is the number of the key that the volunteer for the archive has?",
        "3",
        ("volunteers.csv", "Ingram Lyle,2008,archive,Tue,3,i.lyle@post.example"),
        ("volunteers.csv", "name,since,task,evenings,key no.,e-mail"),
        also=("key no. 3", "no. 3"),
    ),
    two(
        "What was the job of the new box office manager before he came?",
        "sell tickets for the steam railway at Polgarth",
        (
            "newsletter-2025-06.txt",
            "Teodor Lisk, who used to sell tickets for the steam railway at Polgarth",
        ),
        ("trustees-2025-02-04.md", "The box office will be led by Teodor Lisk from 1 March."),
        also=(
            "sold tickets for the steam railway at Polgarth",
            "steam railway at Polgarth",
            "the steam railway at Polgarth",
        ),
    ),
    two(
        "Which company does the leader of the children's workshop belong to?",
        "Threadbare Puppets",
        (
            "newsletter-2025-06.txt",
            "The children's workshop in August is led by Sunniva Holt of Threadbare Puppets.",
        ),
        (
            "web/season.html",
            "<tr><td>The Cobbler's Geese</td><td>Threadbare Puppets</td><td>Sunniva Holt</td>",
        ),
    ),
    two(
        "Who owns the bakery that takes the cafe over from Bean & Gone?",
        "Delphine Orme",
        ("newsletter-2025-06.txt", "it will be in the hands of the Marram Bakery"),
        ("newsletter-2025-06.txt", "whose owner, Delphine Orme, has promised saffron buns"),
        also=("Orme",),
    ),
    two(
        "How much did the sale bring in that the man from the wardrobe held?",
        "1,345 pounds",
        ("volunteers.csv", "Hamza Rafiq,2016,wardrobe,Wed,12,hamza.rafiq@post.example"),
        ("newsletter-2025-06.txt", "Hamza Rafiq's costume sale made 1,345 pounds."),
        also=("1,345", "£1,345"),
    ),
    two(
        "In which seat did the man always sit whose bequest helps to pay for the roof?",
        "F14",
        ("trustees-2025-02-04.md", "the rest comes from the Hartnoll bequest"),
        ("newsletter-2025-06.txt", "He had the same seat for thirty years: F14."),
        also=("seat F14",),
    ),
    two(
        "In which town is the firm that made our lighting desk?",
        "Kilbride",
        (
            "mail-dimmers-2025-05-08.eml",
            "the makers, a firm called Ardan Audio-Visual in Kilbride",
        ),
        ("mail-dimmers-2025-05-08.eml", "The desk itself stays. It is a Prisma 48 of 2016"),
    ),
    two(
        "How much does a full-price seat cost in the area with 84 seats?",
        "19.50",
        ("ticket-prices.csv", "Stalls G-M,19.50,16.00,10.00,8.00,84"),
        ("ticket-prices.csv", "area,full,concession,child,school group,seats"),
        also=("19.50 pounds", "£19.50"),
    ),
    none("Who is the architect of the rope works?", "Benedikt Osei"),
    none("Who built the boiler in 2012?", "Messrs Gantry"),
    none("How much do the new seats in rows A to F cost?", "£250"),
    none("When was Milo Strand born?", "1978"),
)
