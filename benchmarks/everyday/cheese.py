"""The Val Sorina cooperative, whose members make mountain cheese in two dairies."""

from __future__ import annotations

from benchmarks.everyday.material import Documents, Pdf, none, one, two

ABOUT = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>About us - Val Sorina Cheesemakers</title></head>
<body>
<header>
<a href="/"><img src="/logo.svg" alt="Val Sorina"></a>
<nav><a href="/cheese">Cheese</a> <a href="/shop">Shop</a> <a href="/about">About us</a>
<a href="/visit">Visit</a> <a href="/faq">Questions</a> <a href="/it">Italiano</a></nav>
</header>
<article>
<h1>Ninety years in one valley</h1>
<p>The Val Sorina Cheesemakers' Cooperative was founded in 1932 by eleven farmers of Pradello. They
met in the house of the parish priest, Luca Tamburin, who kept the books without pay until 1949.</p>
<p>Two years later they had a dairy of their own. The building, with its famous round window, is a
work of the architect Elvira Costan. The great press inside it, called "the Bear", is not hers:
it was devised and
forged by the blacksmith Gion Padrutt, and it is still used for the largest wheels.</p>
<h2>Two dairies</h2>
<p>Today cow's milk is worked in Pradello. The goat's milk goes to Castrigo, where a second, smaller
dairy was opened in 1986 in the former customs house. It is managed by Sabina Orlet.</p>
<h2>Who we are</h2>
<p>Marta Ferrand has been the director since 2017. Before that she taught at the dairy school in
Lorenzago Alto. The company employs 38 people and takes milk from 20 farms.</p>
<table>
<caption>The cellars</caption>
<tr><th>Cellar</th><th>Where</th><th>Temperature</th><th>Room for</th></tr>
<tr><td>Rocca cellar</td><td>old fort above Lunasca</td><td>9 &deg;C</td><td>4,000 wheels</td></tr>
<tr><td>Ponte cellar</td><td>under the bridge at Pradello</td><td>12 &deg;C</td>
<td>1,500 wheels</td></tr>
</table>
</article>
<footer>Val Sorina Cheesemakers' Cooperative, Via del Ponte 2, Pradello. VAT 0448 213 907.
<a href="/legal">Legal notice</a></footer>
</body>
</html>
"""

SORINETTA = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Sorinetta - Val Sorina Cheesemakers</title></head>
<body>
<header>
<nav><a href="/cheese">Cheese</a> <a href="/shop">Shop</a> <a href="/about">About us</a>
<a href="/visit">Visit</a> <a href="/faq">Questions</a></nav>
<form action="/search"><input name="q" placeholder="Search the shop"></form>
</header>
<article>
<p class="path">Cheese / From cow's milk / Sorinetta</p>
<h1>Sorinetta</h1>
<p><em>Our best known cheese: a washed rind, a supple paste and a scent of hay.</em></p>
<p>The recipe goes back to Teresa Alloin, who wrote it down in 1958 after a summer on Alp Dossena.
Nothing has been changed since, but for the rennet, which is now made without animal
products.</p>
<table>
<tr><th>Milk</th><td>raw cow's milk</td></tr>
<tr><th>Weight of a wheel</th><td>6.5 kg</td></tr>
<tr><th>Ripening</th><td>90 days in the Rocca cellar</td></tr>
<tr><th>Fat in dry matter</th><td>52 %</td></tr>
<tr><th>Keeps</th><td>six weeks in the fridge, wrapped</td></tr>
<tr><th>Allergens</th><td>milk</td></tr>
</table>
<h2>Awards</h2>
<ul>
<li>Gold, Fair of Lunasca, 2021</li>
<li>Silver, Mountain Cheese Days, 2019</li>
</ul>
<h2>Goes well with</h2>
<p>Rye bread and the pear mustard that is made for us by Casa Perotin in Monteverna.</p>
<h2>You may also like</h2>
<ul>
<li><a href="/cheese/nero">Nero di Rocca</a>, in ash, 150 days</li>
<li><a href="/cheese/caprin">Caprin</a>, from goat's milk, three weeks</li>
<li><a href="/cheese/vecchio">Vecchio Dossena</a>, eighteen months</li>
</ul>
</article>
<footer>Val Sorina Cheesemakers' Cooperative, Pradello. Prices include VAT.</footer>
</body>
</html>
"""

PRICES_2023 = """\
# Price list for shops no. 41;;;;
# valid from 1 October 2023 - replaced by no. 42 on 1 May 2024;;;;
article;name;unit;price_eur;remarks
1001;Sorinetta;kg;17.90;whole wheels only
1002;Sorinetta, quarter;kg;18.60;
1010;Nero di Rocca;kg;21.40;
1020;Caprin;piece 180 g;4.10;box of 12
1021;Caprin with thyme;piece 180 g;4.40;box of 12
1030;Vecchio Dossena;kg;27.50;on order, two weeks
1040;Butter from the alp;250 g;3.60;June to September
1050;Ricotta;kg;7.20;Tuesdays and Fridays
2001;Gift box small;piece;24.00;
2002;Gift box large;piece;42.00;until 15 December
3001;Delivery, pallet;flat;65.00;valley and Lunasca free of charge
"""

PRICES_2024 = """\
# Price list for shops no. 42;;;;
# valid from 1 May 2024;;;;
article;name;unit;price_eur;remarks
1001;Sorinetta;kg;18.70;whole wheels only
1002;Sorinetta, quarter;kg;19.50;
1010;Nero di Rocca;kg;22.30;
1020;Caprin;piece 180 g;4.30;box of 12
1021;Caprin with thyme;piece 180 g;;no longer made
1022;Caprin with juniper;piece 180 g;4.70;new, box of 10
1030;Vecchio Dossena;kg;29.00;on order, three weeks
1040;Butter from the alp;250 g;3.80;June to September
1050;Ricotta;kg;7.50;Tuesdays and Fridays
2001;Gift box small;piece;26.00;
2002;Gift box large;piece;45.00;until 15 December
3001;Delivery, pallet;flat;72.00;valley and Lunasca free of charge
"""

ASSEMBLY = """\
# General assembly 2024

**Date:** Saturday, 23 March 2024, 14:00
**Place:** Parish hall, Castrigo
**Taken down by:** Ilario Menn
**Members present:** 18 of 20, and one by proxy

## 1. Welcome

The president, Ugo Valsecca, welcomes the members. He reminds them that this is his last assembly.

## 2. Accounts

Marta Ferrand presents the accounts. Turnover was 6.4 million euros (year before: 5.9 million). The
auditors, Rampini & Daughters, raised no objection. *Accepted with all votes.*

## 3. Milk money

| Milk            | 2023       | from 1 April 2024 |
|-----------------|------------|-------------------|
| Cow, silo-free  | 71 ct/kg   | 74 ct/kg          |
| Cow, from alp   | 82 ct/kg   | 86 ct/kg          |
| Goat            | 98 ct/kg   | 104 ct/kg         |

## 4. Elections

- *President:* Giulio Alloin is elected with 13 votes against 6 for Nadia Bonaz. He takes up office
  on 1 April. He is a grandson of the woman to whom we owe the recipe of the Sorinetta.
- *Vice-president:* N. Bonaz, unopposed.
- *Auditors:* as before.

## 5. New lorry

The milk lorry of 2008 is to be replaced. The board may spend up to 185,000 euros. An electric one
was asked for by two members; this did not find a majority.

## 6. Solar roof

The roof of the dairy in Pradello will carry 410 panels. The work has been given to Elettra Fabbiani
of Monteverna and is to be finished before the cows come down.

## 7. Questions

C. Dusin asks when the road to Alp Dossena will be mended. Nobody knows.

Closed at 17:10, followed by polenta.
"""

MILK_CONTRACT = Pdf(
    header="Val Sorina Cheesemakers' Cooperative        Milk contract B-19",
    footer="Milk contract B-19, sheet",
    pages=(
        """\
# Contract for the delivery of alp milk

between the Val Sorina Cheesemakers' Cooperative, Pradello (here-
after "the Cooperative"), and Nadia Bonaz, farmer, of Monteverna
(hereafter "the Producer").

# I. Object

The Producer delivers all the milk from the summer on Alp Dossena,
save what she needs for her own household. About 64,000 kg are ex-
pected in an ordinary summer.

# II. Time

Deliveries start when the cattle are driven up, as a rule in the
second week of June, and end on 20 September at the latest. The con-
tract was signed on 14 February 2022 and is valid for four summers.

# III. Quality

The animals are fed on grass and hay. Silage is not allowed. The
milk is cooled to 8 °C within two hours. It is tested twice a month
by the Cantonal Laboratory in Lunasca, which reports to both parties.
""",
        """\
# IV. Collection

The milk is fetched every morning before seven at the lower sta-
tion of the goods cableway. The cableway belongs to the Alp Dossena
Corporation and not to the Cooperative. If it stands still, the Pro-
ducer may make butter of the milk.

# V. Payment

The price is set by the general assembly. An addition of 3 cents per
kilogram is paid for milk with fewer than 50,000 germs per milli-
litre. Payment is made on the tenth of the following month.

# VI. Animals

The Producer keeps 41 cows on the alp. The herd is looked after by
the veterinary surgeon Dr Corina Hartmeier. Every treatment is en-
tered in the book that hangs in the hut.

# VII. Disputes

Disputes are settled by the mediator of the valley, at present the
notary Fausto Greuter.

For the Cooperative: Marta Ferrand, director
The Producer: Nadia Bonaz
Witness: Ilario Menn
""",
    ),
)

CELLAR_MAIL = """\
From: "Canclin Reto" <reto@valsorina.example>
To: "Ferrand Marta" <marta@valsorina.example>
Sent: 17.01.2024 07:31
Subject: AW: AW: pump in the Rocca

Dear Marta

No, not the pump in the Ponte cellar. That one is fine (it was put in new
in 2022, a Lindauer). It is the old one up in the Rocca that
has given up. It is a Gressoni from 1979 and there are no parts any more.
Until we have something else I carry the water down in buckets, 140 steps.

Humidity is at 83 %. Below 85 the rind of the Nero cracks, so please
be quick.

I asked two firms:
 - Idrotec Salvadei: 3,450 euros, could come in the first week of February
 - Pumpenbau Zwick: 2,980 euros, but not before April

Greetings, Reto
--
R. Canclin, cellar master
Rocca: ext. 27 / Ponte: ext. 25

> From: Ferrand Marta
> Sent: 16.01.2024 18:02
>
> Dear Reto, which pump do you mean? I thought we had bought one two
> years ago. And how bad is it?
>
> M.

>> From: Canclin Reto
>> Sent: 16.01.2024 12:15
>>
>> The pump is dead. R.

-------- Forwarded by Marta Ferrand, 17.01.2024 09:10 --------
To: Ilario Menn
Please order from the dearer firm, we cannot wait until April. Book it on the
account for repairs and not on the one for new machines. Thank you. M.
"""

FAQ = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Questions - Val Sorina Cheesemakers</title></head>
<body>
<nav><a href="/cheese">Cheese</a> <a href="/shop">Shop</a> <a href="/about">About us</a>
<a href="/visit">Visit</a> <a href="/faq">Questions</a></nav>
<h1>What people ask us</h1>
<dl>
<dt>Can I visit the dairy?</dt>
<dd>Yes, in Pradello, Wednesdays at 9.30, from May to October. The tour takes 75 minutes and costs
8 euros, children under ten pay nothing. There are no tours in Castrigo.</dd>
<dt>May I see the cellars?</dt>
<dd>The Rocca cellar is opened once a year, on the second Sunday of September. The other cellar is
too narrow for visitors.</dd>
<dt>Are your cheeses vegetarian?</dt>
<dd>All but one. The Vecchio Dossena is still made with calf rennet.</dd>
<dt>Is the rind edible?</dt>
<dd>That of the Sorinetta and of the Caprin, yes. The rind of the Vecchio Dossena is too hard, and
we would not eat that of the Nero either: ash is harmless but gritty.</dd>
<dt>How is the cheese sent?</dt>
<dd>In boxes of wood wool, with Postalpina, on Mondays and Tuesdays only, so that no parcel lies
about over the weekend. Parcels cost 9.50 euros; above 80 euros we pay.</dd>
<dt>Where do the wooden boxes come from?</dt>
<dd>They are made by the joinery of the Lunasca sheltered workshop, our partner since 2011.</dd>
<dt>Do you sell to restaurants?</dt>
<dd>Yes. Write to our sales manager, Dario Pellin, or ring him in the mornings.</dd>
</dl>
<footer>Val Sorina Cheesemakers' Cooperative, Pradello &middot; <a href="/legal">Legal
notice</a></footer>
</body>
</html>
"""

MEMBERS = """\
no,farm,holder,village,cows,goats,member_since,remarks
1,Tschanz,Anna Tschanz,Pradello,24,0,1932,
2,Alla Fontana,Giulio Alloin,Pradello,31,0,1932,on the board since 2016
3,Casa Menn,Ilario Menn,Pradello,18,0,1932,keeps the minutes
4,Casa Rossa,heirs of Luis Perotin,Pradello,20,0,1932,holder to be named
5,Bonaz di Sopra,Nadia Bonaz,Monteverna,41,0,1978,summers on Alp Dossena
6,Bonaz di Sotto,Pietro Bonaz,Monteverna,12,35,1994,also drives the milk lorry
7,Val Granda,Renza Tomasin,Monteverna,26,0,1947,
8,Prau Liung,Gion Caduff,Lunasca,27,0,1961,
9,Il Mulino,Carla Dusin,Castrigo,0,88,1986,own well
10,Sotto il Muro,Franco Dusin,Castrigo,0,52,1988,cousin of no. 9
11,La Costa,Ezio Brunel,Castrigo,0,64,1999,
12,Sass Alt,Lidia Brunel,Lunasca,22,0,2003,
13,Tre Noci,Paul Anrig,Lunasca,30,0,1955,
14,Pian dell'Orso,Ugo Valsecca,Lunasca,36,0,1969,
15,Runcs,Martina Decurtin,Monteverna,17,0,2006,organic
16,Alla Croce,Severin Cavegn,Lunasca,33,0,1972,
17,Cresta,Moreno Silvan,Castrigo,0,47,2010,
18,Fienile Nuovo,Aldo Tamburin,Pradello,15,0,1932,great-nephew of the priest
19,Am Bach,Vera Imboden,Pradello,29,0,2015,
20,Bosco Chiaro,Irma Zanella,Castrigo,0,39,2018,
"""

HYGIENE = """\
# Hygiene handbook for the dairies

Version 5, in force since 2 November 2022. Owner: Bruna Sertor, quality.
The earlier version 4 is withdrawn; please do not print it any more.

## A. Clothes and hands

- White clothes, cap, boots. Boots stay in the dairy.
- No rings, no watches. A plain wedding ring is no exception.
- Wash hands for thirty seconds. There is a clock above every basin, look at it.

## B. Milk

Every delivery is tasted, smelled and checked for temperature by whoever takes it in. Milk above
10 °C is turned away. A sample is frozen and kept for 14 days.

## C. Cleaning

| What           | How                           | How often         | Who               |
|----------------|-------------------------------|-------------------|-------------------|
| Copper vats    | hot whey, then vinegar        | after each batch  | cheesemaker       |
| Press ("Bear") | brush, 70 °C water, no acid   | daily             | cheesemaker       |
| Milk lorry     | lye at 75 °C                  | after each round  | driver            |
| Cellar boards  | scrubbed, dried in the sun    | every six weeks   | cellar team       |
| Drains         | foam cleaner Albisol          | Saturdays         | late shift        |

## D. Brine

The brine in Pradello is at 19 per cent salt. It is measured on Mondays and renewed each January. In
Castrigo the cheeses are salted by hand, so there is no brine bath.

## E. If something is wrong

1. Stop, and mark the batch with the red card.
2. Call quality (ext. 14). At night call the director.
3. Don't throw anything away: the samples are needed.

Listeria and salmonella are tested for by Labor Veltin, which fetches the samples on the first
Monday of the month.
"""

NEWSLETTER = """\
IL CAGLIO - letter to members and friends                 Autumn 2023
=====================================================================

THE SUMMER IN FIGURES
The cows came down from Alp Dossena on 16 September, four days earlier
than planned, because of snow. 2,310 wheels were made of alp milk, a
few less than last year. The alp was in the charge of Seraina
Cavegn, for the third time. She is twenty-six and comes from
Lunasca.

NEW FACES
* Tobias Wendt has started as cheesemaker in Pradello. He learnt at the
  monastery dairy of Sankt Veith and holds the master's diploma.
* The shop in Lunasca has a new manager: Elisa Norben, who before that
  ran the bookshop next door. The shop is open on Sundays from now on.
* Driver Pietro Bonaz will be a grandfather. He is not to be mixed up
  with Nadia's brother of the same name, who lives abroad.

PRIZE
At the Mountain Cheese Days in October the Nero di Rocca took gold. The
jury praised "the courage of the ash". The cheese was created by
our cellar master, then a young man, in 1998. The Caprin came away
empty-handed.

GOOD-BYE
After thirty-four years at the vat, Albin Trepp is retiring. He made, by his own
count, 190,000 wheels. He wants to walk to the sea.

DATES
11 November   St Martin's market, Lunasca
9 December    Tasting with Dr P. Solari, author of "Grass, Salt, Time"
23 March      General assembly, Castrigo

Editor: Ilario Menn. Printed in Monteverna.
"""

RECALL = """\
PUBLIC NOTICE - RECALL OF A CHEESE
Val Sorina Cheesemakers' Cooperative, 24 November 2023

Product:     Caprin with thyme, piece of 180 g
Batch:       C-2341
Best before: 12.12.2023
Sold:        13 to 23 November, in the shops in Lunasca and Pradello and by
             four retailers
Not affected: all other cheeses, and Caprin without thyme

In a sample of the above batch, listeria was found during our own routine
tests. The cheese must not be eaten. It can be brought back to any shop and is
paid for without a receipt.

How it happened
The milk was sound. According to the investigation by Bruna Sertor, head of
quality, the germs came in with the dried thyme, which had been bought from
Erbe Montalto. The herbs had not been heated, although this had been agreed
upon. Erbe Montalto is no longer a supplier of the cooperative.

What has been done
- 612 pieces were made; 455 of these never left the dairy.
- The dairy in Castrigo was closed for two days and cleaned.
- The authorities in Lunasca were told the same evening.
- Until further notice no cheese with herbs will be made.

Nobody has fallen ill as far as we know. Women who are pregnant and have eaten of
the cheese should see their doctor.

Telephone for questions: ext. 14, daily from 8 to 18.
Signed: Marta Ferrand
"""

COMPLAINTS = """\
Online shop - complaints and questions, April 2024
Export by D. Pellin, sales

ID 812 | 03/04/2024 | Mrs H. Aarnio, Tampora
  Parcel arrived after six days, cheese warm.
  > Carrier admits a mistake (wrong depot). New parcel sent, old one not to be returned.
  > Closed 05/04.

ID 815 | 08/04/2024 | Restaurant Zur Linde, Altmark
  Wants Vecchio Dossena, 40 kg a month, asks for a rebate.
  > M.F.: at most 6 per cent and only if they fetch it themselves.
  > Accepted by customer 19/04. Contract follows.

ID 816 | 08/04/2024 | Mr Th. Quade
  Large gift box without the pear mustard.
  > Packed by a holiday help. Jar sent separately. Closed 10/04.

ID 820 | 15/04/2024 | Mr B. Oyelaran
  "Is there lactose in the Sorinetta?"
  > No, after 90 days there is practically none left. Answered by B. Sertor.

ID 823 | 22/04/2024 | Käsehaus Mertens, Brinkum
  White spots on three wheels of Nero (lot N-0117). Photos attached.
  > R.C.: harmless, it's tyrosine, comes with age. But: these wheels had been
  > in the cellar when the air was too dry (January). 10 % credited.
  > Closed 26/04.

ID 827 | 29/04/2024 | Mrs A. Petrov
  Web shop forgets the basket when language is changed.
  > Known. The shop software is looked after by Bitwerk Simmen, who promise
  > a repair for June. Open.
"""

DOCUMENTS: Documents = {
    "web/about.html": ABOUT,
    "web/sorinetta.html": SORINETTA,
    "web/faq.html": FAQ,
    "prices/price-list-41.csv": PRICES_2023,
    "prices/price-list-42.csv": PRICES_2024,
    "assembly-2024.md": ASSEMBLY,
    "milk-contract-B-19.pdf": MILK_CONTRACT,
    "mail-cellar-pump.txt": CELLAR_MAIL,
    "members.csv": MEMBERS,
    "hygiene-handbook.md": HYGIENE,
    "newsletter-autumn-2023.txt": NEWSLETTER,
    "recall-2023-11-24.txt": RECALL,
    "complaints-2024-04.txt": COMPLAINTS,
}

QUESTIONS = (
    one(
        "Who is the architect of the dairy with the round window?",
        "Elvira Costan",
        (
            "web/about.html",
            "The building, with its famous round window, is a work of the architect Elvira Costan.",
        ),
        also=("Costan",),
    ),
    one(
        "Who runs the goat dairy in Castrigo?",
        "Sabina Orlet",
        ("web/about.html", "It is managed by Sabina Orlet."),
        also=("Orlet",),
    ),
    one(
        "How much does a wheel of Sorinetta weigh?",
        "6.5 kg",
        ("web/sorinetta.html", "<tr><th>Weight of a wheel</th><td>6.5 kg</td></tr>"),
        also=("6.5 kilograms", "6.5 kilos", "6.5"),
    ),
    one(
        "What do shops pay for a kilo of Nero di Rocca since 1 May 2024?",
        "22.30 euros",
        ("prices/price-list-42.csv", "1010;Nero di Rocca;kg;22.30;"),
        also=("22.30", "22.30 EUR", "EUR 22.30", "€22.30"),
    ),
    one(
        "How many votes did the new president of the cheese cooperative win?",
        "13",
        (
            "assembly-2024.md",
            "Giulio Alloin is elected with 13 votes against 6 for Nadia Bonaz.",
        ),
        also=("13 votes", "thirteen"),
    ),
    one(
        "On what date was the alp milk contract with Nadia Bonaz concluded?",
        "14 February 2022",
        ("milk-contract-B-19.pdf", "The contract was signed on 14 February 2022"),
        also=("February 14, 2022", "14.02.2022", "14 Feb 2022"),
    ),
    one(
        "What do the cheesemakers use to clean the drains?",
        "Albisol",
        ("hygiene-handbook.md", "| Drains | foam cleaner Albisol | Saturdays | late shift |"),
        also=("foam cleaner Albisol", "foam cleaner"),
    ),
    one(
        "Which firm had sold the cooperative the thyme that led to the recall?",
        "Erbe Montalto",
        (
            "recall-2023-11-24.txt",
            "the germs came in with the dried thyme, which had been bought from Erbe Montalto.",
        ),
        also=("Montalto",),
    ),
    two(
        "Which firm did the director choose for the new pump in the Rocca cellar?",
        "Idrotec Salvadei",
        (
            "mail-cellar-pump.txt",
            "Please order from the dearer firm, we cannot wait until April.",
        ),
        ("mail-cellar-pump.txt", "- Idrotec Salvadei: 3,450 euros"),
        also=("Salvadei",),
    ),
    two(
        "What is the name of the grandmother of the cooperative's president since April 2024?",
        "Teresa Alloin",
        (
            "assembly-2024.md",
            "He is a grandson of the woman to whom we owe the recipe of the Sorinetta.",
        ),
        ("web/sorinetta.html", "The recipe goes back to Teresa Alloin, who wrote it down in 1958"),
    ),
    two(
        "At what temperature does the Sorinetta ripen?",
        "9 °C",
        ("web/sorinetta.html", "<tr><th>Ripening</th><td>90 days in the Rocca cellar</td></tr>"),
        (
            "web/about.html",
            "<tr><td>Rocca cellar</td><td>old fort above Lunasca</td><td>9 &deg;C</td>"
            "<td>4,000 wheels</td></tr>",
        ),
        also=("9°C", "9 degrees", "9 degrees Celsius", "nine degrees"),
    ),
    two(
        "Who invented the cheese that took gold at the Mountain Cheese Days in 2023?",
        "Reto Canclin",
        (
            "newsletter-autumn-2023.txt",
            "The cheese was created by our cellar master, then a young man, in 1998.",
        ),
        ("mail-cellar-pump.txt", "R. Canclin, cellar master"),
        also=("R. Canclin", "Canclin", "Canclin Reto"),
    ),
    two(
        "How many goats does the member keep who wanted to know about the road to Alp Dossena?",
        "88",
        (
            "assembly-2024.md",
            "C. Dusin asks when the road to Alp Dossena will be mended.",
        ),
        ("members.csv", "9,Il Mulino,Carla Dusin,Castrigo,0,88,1986,own well"),
        also=("88 goats", "eighty-eight"),
    ),
    two(
        "Since when has the farm of the cooperative's vice-president been a member?",
        "1978",
        ("assembly-2024.md", "*Vice-president:* N. Bonaz, unopposed."),
        ("members.csv", "5,Bonaz di Sopra,Nadia Bonaz,Monteverna,41,0,1978,summers on Alp Dossena"),
    ),
    two(
        "What is the extension of the head of quality who looked into the listeria case?",
        "14",
        (
            "recall-2023-11-24.txt",
            "According to the investigation by Bruna Sertor, head of quality,",
        ),
        ("hygiene-handbook.md", "Call quality (ext. 14)."),
        also=("ext. 14", "extension 14"),
    ),
    two(
        "In which village does the man farm who followed Ugo Valsecca as president?",
        "Pradello",
        ("assembly-2024.md", "The president, Ugo Valsecca, welcomes the members."),
        ("assembly-2024.md", "Giulio Alloin is elected with 13 votes against 6 for Nadia Bonaz."),
        ("members.csv", "2,Alla Fontana,Giulio Alloin,Pradello,31,0,1932,on the board since 2016"),
    ),
    none("Who supplies Val Sorina with herbs now, in place of Erbe Montalto?", "Casa Perotin"),
    none("Which architect built the dairy in Castrigo?", "Elvira Costan"),
    none("How many wheels were made of alp milk in the summer of 2022?", "2,310"),
)
