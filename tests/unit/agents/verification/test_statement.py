# ruff: noqa: E501
"""Which claims a sentence states: sentences and claims were written before the code."""

from __future__ import annotations

import pytest

from hoptrail.agents.verification.statement import support_in
from hoptrail.agents.verification.verifier import Verification, verify
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.core.types.draft import Draft, HopClaim
from tests.unit.agents.conftest import index_of

# (title, sentence, subject, predicate, object)
STATED = [
    ("Halden Brewery", "Anna Lee founded the Halden Brewery in 1843.", "Anna Lee", "founded", "Halden Brewery"),
    ("Halden Brewery", "It was founded by Anna Lee in 1843.", "Halden Brewery", "was founded by", "Anna Lee"),
    ("Halden Brewery", "It was founded by Anna Lee in 1843.", "Halden Brewery", "founded in", "1843"),
    ("Halden Brewery", "It was founded by Anna Lee in 1843.", "Halden Brewery", "founder", "Anna Lee"),
    ("Halden Brewery", "The Halden Brewery, founded by Anna Lee, lies on the Tista.", "Anna Lee", "founded", "Halden Brewery"),
    ("Anna Lee", "Anna Lee (12 May 1843 – 3 June 1901) was a Norwegian brewer.", "Anna Lee", "date of birth", "12 May 1843"),
    ("Anna Lee", "Anna Lee (12 May 1843 – 3 June 1901) was a Norwegian brewer.", "Anna Lee", "date of death", "3 June 1901"),
    ("Anna Lee", "Anna Lee (born 1843) is a Norwegian brewer.", "Anna Lee", "was born in", "1843"),
    ("Anna Lee", "Anna Lee (born 1843) is a Norwegian brewer.", "Anna Lee", "occupation", "brewer"),
    ("Anna Lee", "Anna Lee (born 1843) is a Norwegian brewer.", "Anna Lee", "country of citizenship", "Norwegian"),
    ("Anna Lee", "She was born in Oslo and died in Bergen in 1901.", "Anna Lee", "place of birth", "Oslo"),
    ("Anna Lee", "She was born in Oslo and died in Bergen in 1901.", "Anna Lee", "place of death", "Bergen"),
    ("Anna Lee", "Anna Lee, who chairs the board, founded the Blue Mill.", "Anna Lee", "founded", "Blue Mill"),
    ("Red Fern", "Red Fern is a 1961 drama film directed by John Ford and written by Mary Pell.", "Red Fern", "director", "John Ford"),
    ("Red Fern", "Red Fern is a 1961 drama film directed by John Ford and written by Mary Pell.", "Red Fern", "was written by", "Mary Pell"),
    ("Red Fern", "The film was directed by John Ford, who was born in Maine.", "Red Fern", "director", "John Ford"),
    ("John Ford", "The film was directed by John Ford, who was born in Maine.", "John Ford", "was born in", "Maine"),
    ("John Ford", "John Ford was the son of Ellen Ford and the painter Karl Ford.", "John Ford", "mother", "Ellen Ford"),
    ("John Ford", "John Ford was the son of Ellen Ford and the painter Karl Ford.", "Karl Ford", "is the father of", "John Ford"),
    ("John Ford", "His wife Ellen Marsh wrote the novel Blue Mill.", "John Ford", "spouse", "Ellen Marsh"),
    ("Ellen Marsh", "His wife Ellen Marsh wrote the novel Blue Mill.", "Ellen Marsh", "wrote", "Blue Mill"),
    ("Blue Mill", "Blue Mill is a novel by the Scottish writer Ellen Marsh.", "Blue Mill", "author", "Ellen Marsh"),
    ("Oslo", "Oslo is the capital of Norway.", "Oslo", "is the capital of", "Norway"),
    ("Oslo", "Oslo is the capital of Norway.", "Norway", "capital", "Oslo"),
    ("Norway", "Norway's capital Oslo lies on a fjord.", "Norway", "capital", "Oslo"),
    ("Tista", "The Tista flows through Halden.", "Tista", "flows through", "Halden"),
    ("Kestrel Hill", "The pumps of the Kestrel Hill station were built by Brightwater Pumps.", "Brightwater Pumps", "built the pumps of", "Kestrel Hill station"),
    ("Staff list", "Hanna Oster, who chairs the board, has led Fjellbu since 2014.", "Hanna Oster", "has led", "Fjellbu"),
    ("Staff list", "Hanna Oster, the managing director of Fjellbu, signed the lease.", "Hanna Oster", "managing director of", "Fjellbu"),
    ("Staff list", "Fjellbu's managing director, Hanna Oster, signed the lease.", "Hanna Oster", "is the managing director of", "Fjellbu"),
    ("Minutes", "Fjellbu is supplied with rennet by Norsk Ferment.", "Norsk Ferment", "supplies", "Fjellbu"),
    ("Minutes", "Anna Lee and Bert Olsen founded Fjellbu.", "Bert Olsen", "founded", "Fjellbu"),
    ("Minutes", "Anna Lee and Bert Olsen founded Fjellbu.", "Anna Lee", "founded", "Fjellbu"),
    ("Minutes", "Anna Lee founded Fjellbu, Blue Mill and Red Fern.", "Anna Lee", "founded", "Red Fern"),
    ("Minutes", "In 1998 Anna Lee moved to Bergen and opened the Blue Mill there.", "Anna Lee", "opened", "Blue Mill"),
    ("Ferry", "The MV Skarv entered service on 4 May 1998.", "MV Skarv", "entered service on", "4 May 1998"),
    ("Ferry", "Its master is Captain Olav Moen.", "Ferry", "master", "Olav Moen"),
    ("Price list", "Owner: Hanna Oster", "Price list", "owner", "Hanna Oster"),
]  # fmt: skip

NOT_STATED = [
    ("Halden Brewery", "Anna Lee founded the Halden Brewery in 1843.", "Halden Brewery", "founded", "Anna Lee"),
    ("Halden Brewery", "The Halden Brewery was founded by Anna Lee.", "Anna Lee", "was founded by", "Halden Brewery"),
    ("Halden Brewery", "Anna Lee did not found the Halden Brewery.", "Anna Lee", "founded", "Halden Brewery"),
    ("Halden Brewery", "Anna Lee is no longer the owner of the Halden Brewery.", "Anna Lee", "owner of", "Halden Brewery"),
    ("Halden Brewery", "Did Anna Lee found the Halden Brewery?", "Anna Lee", "founded", "Halden Brewery"),
    ("Halden Brewery", "Founders: Anna Lee | Halden Brewery | 1843", "Anna Lee", "founded", "Halden Brewery"),
    ("Halden Brewery", "# Anna Lee founded Halden Brewery", "Anna Lee", "founded", "Halden Brewery"),
    ("Halden Brewery", "Anna Lee designed the Halden Brewery.", "Anna Lee", "founded", "Halden Brewery"),
    ("Halden Brewery", "Anna Lee founded Fjellbu and Bert Olsen founded the Halden Brewery.", "Anna Lee", "founded", "Halden Brewery"),
    ("Halden Brewery", "Anna Lee founded Fjellbu, while the Halden Brewery belongs to Bert Olsen.", "Anna Lee", "founded", "Halden Brewery"),
    ("Anna Lee", "She was born in Oslo and died in Bergen.", "Anna Lee", "place of birth", "Bergen"),
    ("Anna Lee", "She was born in Oslo and died in Bergen.", "Anna Lee", "was born in", "Bergen"),
    ("Anna Lee", "She was born in Oslo and died in Bergen.", "Bert Olsen", "was born in", "Oslo"),
    ("Anna Lee", "Anna Lee (12 May 1843 – 3 June 1901) was a Norwegian brewer.", "Anna Lee", "date of birth", "3 June 1901"),
    ("Anna Lee", "Anna Lee was born in 1843.", "Anna Lee", "was born in", "1834"),
    ("Red Fern", "Red Fern is a film directed by John Ford and written by Mary Pell.", "Red Fern", "director", "Mary Pell"),
    ("Red Fern", "The film was directed by John Ford, who was born in Maine.", "Red Fern", "was born in", "Maine"),
    ("John Ford", "John Ford was the son of Ellen Ford.", "Ellen Ford", "mother", "John Ford"),
    ("John Ford", "John Ford was the son of Ellen Ford.", "John Ford", "is the father of", "Ellen Ford"),
    ("Oslo", "Oslo is the capital of Norway.", "Norway", "is the capital of", "Oslo"),
    ("Oslo", "Oslo is the capital of Norway.", "Oslo", "capital", "Norway"),
    ("Kestrel Hill", "Marcus Adeyemi designed the Kestrel Hill station; its pumps were built by Brightwater Pumps.", "Marcus Adeyemi", "built the pumps of", "Kestrel Hill station"),
    ("Kestrel Hill", "Marcus Adeyemi, the designer of the Kestrel Hill station, praised Brightwater Pumps.", "Brightwater Pumps", "designed", "Kestrel Hill station"),
    ("Agreement BW-2231", "The Supplier shall maintain the three main pumps of Kestrel Hill.", "Agreement BW-2231", "maintain", "Kestrel Hill"),
    ("Minutes", "Anna Lee founded the Halden Brewery in Bergen.", "Anna Lee", "founded", "Bergen"),
    ("Minutes", "Anna Lee, a friend of Bert Olsen, founded Fjellbu.", "Bert Olsen", "founded", "Fjellbu"),
    ("Minutes", "Signe Holloway opened it and completed the Blue Mill in 1858.", "Signe Holloway", "and completed in", "1858"),
    ("Minutes", "1921 was a hard year for the Norwegian co-op.", "1921", "was", "Norwegian"),
    ("Minutes", "Anna Lee never worked for Fjellbu.", "Anna Lee", "worked for", "Fjellbu"),
    ("Minutes", "Home | About | Anna Lee | Fjellbu | Contact", "Anna Lee", "", "Fjellbu"),
    ("Minutes", "Neither Anna Lee nor Bert Olsen signed the lease of Fjellbu.", "Anna Lee", "signed the lease of", "Fjellbu"),
    ("Minutes", "If Anna Lee founded Fjellbu, she kept quiet about it.", "Anna Lee", "founded", "Fjellbu"),
    ("Minutes", "Anna Lee denied that Bert Olsen founded Fjellbu.", "Bert Olsen", "founded", "Fjellbu"),
]  # fmt: skip


# The same for properties as knowledge graphs name them.
STATED_PROPERTIES = [
    ("Blue Mill", "Blue Mill is a 1961 Danish drama film written and directed by Karl Ford.", "Blue Mill", "director", "Karl Ford"),
    ("Blue Mill", "Blue Mill is a 1961 Danish drama film written and directed by Karl Ford.", "Blue Mill", "screenwriter", "Karl Ford"),
    ("Blue Mill", "Blue Mill is a Danish film produced by Pell Films and released in 1961.", "Blue Mill", "publication date", "1961"),
    ("Blue Mill", "Blue Mill is a 1961 Danish drama film directed by Karl Ford.", "Blue Mill", "publication date", "1961"),
    ("Blue Mill", "Blue Mill is a 1961 Danish drama film directed by Karl Ford.", "Blue Mill", "country of origin", "Danish"),
    ("Blue Mill", "The film was released on 4 May 1961 by Pell Films.", "Blue Mill", "released", "4 May 1961"),
    ("Blue Mill", "Blue Mill is a 1961 Danish drama film.", "Blue Mill", "released", "1961"),
    ("Blue Mill", "It aired in Denmark on 4 May 1961.", "Blue Mill", "originally aired", "4 May 1961"),
    ("Mill Post", "The magazine was published from 1961 until 1970.", "Mill Post", "published", "1961 until 1970"),
    ("Red Fern", "\"Red Fern\" is a song by the Danish singer Mary Pell.", "Red Fern", "performer", "Mary Pell"),
    ("Red Fern", "Red Fern is an opera by the Danish composer Karl Holm.", "Red Fern", "composer", "Karl Holm"),
    ("Karl Ford", "Karl Ford was educated at Ribe College and taught at Varde University.", "Karl Ford", "educated at", "Ribe College"),
    ("Karl Ford", "Karl Ford was educated at Ribe College and taught at Varde University.", "Karl Ford", "employer", "Varde University"),
    ("Karl Ford", "He studied physics at Ribe College.", "Karl Ford", "educated at", "Ribe College"),
    ("Karl Ford", "He received the Holm Prize in 1961.", "Karl Ford", "award received", "Holm Prize"),
    ("Karl Ford", "He died of pneumonia in Ribe.", "Karl Ford", "cause of death", "pneumonia"),
    ("Karl Ford", "He was buried in Ribe Cathedral.", "Karl Ford", "place of burial", "Ribe Cathedral"),
    ("Karl Ford", "Karl Ford was the second son of the painter Olaf Ford.", "Karl Ford", "father", "Olaf Ford"),
    ("Karl Ford", "His brother Olaf Ford was a painter.", "Karl Ford", "sibling", "Olaf Ford"),
    ("Karl Ford", "He married Mary Pell in 1931.", "Karl Ford", "spouse", "Mary Pell"),
    ("Karl Ford", "He was the father of Ellen Ford.", "Karl Ford", "child", "Ellen Ford"),
    ("Pell Films", "Pell Films is a Danish company founded in 1921 by Mary Pell.", "Pell Films", "inception", "1921"),
    ("Pell Films", "Pell Films is a Danish company founded in 1921 by Mary Pell.", "Pell Films", "founded by", "Mary Pell"),
    ("Blue Mill", "The novel was published by Ribe Press.", "Blue Mill", "publisher", "Ribe Press"),
    ("Skarv", "The Skarv is a ferry built by Ribe Yard.", "Skarv", "manufacturer", "Ribe Yard"),
]  # fmt: skip

NOT_STATED_PROPERTIES = [
    ("Blue Mill", "The film was shot in 1960 and released in 1961.", "Blue Mill", "released", "1960"),
    ("Mill Post", "The magazine was sold in 1965.", "Mill Post", "published", "1965"),
    ("Blue Mill", "Blue Mill is a 1961 Danish film directed by Karl Ford and produced by Mary Pell.", "Blue Mill", "director", "Mary Pell"),
    ("Karl Ford", "Karl Ford was educated at Ribe College and taught at Varde University.", "Karl Ford", "educated at", "Varde University"),
    ("Karl Ford", "Karl Ford was educated at Ribe College and taught at Varde University.", "Karl Ford", "employer", "Ribe College"),
    ("Karl Ford", "He was the father of Ellen Ford.", "Karl Ford", "father", "Ellen Ford"),
    ("Karl Ford", "He was buried in Ribe and died in Varde.", "Karl Ford", "place of death", "Ribe"),
    ("Blue Mill", "Blue Mill is a novel by Mary Pell, whose father was Karl Ford.", "Blue Mill", "author", "Karl Ford"),
    ("Pell Films", "Pell Films is a Danish company founded in 1921.", "Pell Films", "inception", "1961"),
]  # fmt: skip

# Claims as models word them; the constructions are those of replies that were read by hand.
STATED_WORDINGS = [
    ("Season 1998", "It was the first season with the Danish manager Karl Ford, who replaced Bert Olsen in May.", "Karl Ford", "replaced", "Bert Olsen"),
    ("Red Fern", "The film has an early appearance from Ellen Marsh, the sister of Anna Lee.", "Ellen Marsh", "sister of", "Anna Lee"),
    ("Karl Ford", "He has worked with many singers, such as Bert Olsen, Anna Lee and Mary Pell.", "Karl Ford", "worked with", "Mary Pell"),
    ("Red Fern", "Red Fern (also called Fern) is an opera with music by Karl Ford, after a play by Mary Pell.", "Red Fern", "music by", "Karl Ford"),
    ("Red Fern", "It stars Anna Lee as Zoe and Bert Olsen as Max, two friends on a journey.", "Zoe", "played by", "Anna Lee"),
    ("Red Fern", "The film starred Bert Olsen as Mayor Max Holt.", "Bert Olsen", "played in Red Fern", "Max Holt"),
    ("Red Fern", "In 1988 Zoe Holt (Anna Lee) opens a bakery.", "Anna Lee", "plays", "Zoe Holt"),
    ("Anna Lee", "She is best known for her role as Zoe Holt in the film Red Fern.", "Anna Lee", "played in Red Fern", "Zoe Holt"),
    ("Red Fern", "Red Fern is a 1961 drama film.", "Red Fern", "release year", "1961"),
    ("Storm Nine", "The third record came out in 2001 before the band disbanded in 2004.", "band", "disbanded in", "2004"),
    ("44:44", "44:44 is a drama film, directed by John Ford and released in 1961.", "44:44", "directed by", "John Ford"),
    ("Chat", "The song features Storm Nine lead singer Anna Lee, who also wrote it.", "Storm Nine", "lead vocalist", "Anna Lee"),
    ("Karl Ford", "He was married to Anna Lee and Mary Pell.", "Karl Ford", "was married to", "Anna Lee; Mary Pell"),
    ("Alding Museum", "The Alding Museum (known as AM), locally called the Barn, is a museum for art and design located in Alding, Norway.", "Alding Museum", "located in", "Alding"),
    ("Chat", "Anna Lee: I moved to Bergen last week.", "Anna Lee", "moved to", "Bergen"),
    ("Chat", "Anna Lee: My brother Karl works there.", "Anna Lee", "brother", "Karl"),
]  # fmt: skip

NOT_STATED_WORDINGS = [
    ("Season 1998", "It was the first season with the sister of Karl Ford, who replaced Bert Olsen in May.", "Karl Ford", "replaced", "Bert Olsen"),
    ("Red Fern", "It stars Anna Lee as Zoe and Bert Olsen as Max, two friends on a journey.", "Zoe", "played by", "Bert Olsen"),
    ("Red Fern", "It stars Anna Lee as Zoe and Bert Olsen as Max, two friends on a journey.", "Anna Lee", "played", "Max"),
    ("Red Fern", "In 1988 Zoe Holt (Anna Lee) met Max (Bert Olsen).", "Anna Lee", "plays", "Max"),
    ("Anna Lee", "She married Bert Olsen, who is best known for his role as Max.", "Anna Lee", "played", "Max"),
    ("Karl Ford", "He was married to Anna Lee and met Mary Pell.", "Karl Ford", "was married to", "Anna Lee; Mary Pell"),
    ("Anna Lee", "Anna Lee is a writer on the Barn Museum, which is located in Alding.", "Anna Lee", "located in", "Alding"),
    ("Chat", "Anna Lee: Karl Ford moved to Bergen last week.", "Anna Lee", "moved to", "Bergen"),
    ("Chat", "Anna Lee: I moved to Bergen with Karl Ford.", "Karl Ford", "moved to", "Bergen"),
]  # fmt: skip

TEXT = """2026-10-12 10:00, Monday
Adam Holt: Hey Bo! Just wanted to ask you if you have received the curtains.
Bo Thale: Thanks. They arrived yesterday. I really like the patterns. I've paid the rent.
Adam Holt: I have not sold the boat."""
CHUNK = Chunk("c1", "d1", "chat", TEXT, 0, len(TEXT))
QUESTION = "What happened?"


def support(title: str, sentence: str, subject: str, predicate: str, object_: str) -> str:
    lead = f"{title} is told of here. "
    text = lead + sentence
    index = index_of(text, title=title)
    told = [one for one in index.sentences["c1"] if one.text in sentence]
    if not told:  # a heading is no sentence at all
        return "none"
    return support_in(HopClaim(subject, predicate, object_), told[-1], index)


@pytest.mark.parametrize(
    "case",
    [*STATED, *STATED_PROPERTIES, *STATED_WORDINGS],
    ids=lambda case: f"{case[2]}-{case[3]}-{case[4]}",
)
def test_a_sentence_states_a_claim(case: tuple[str, str, str, str, str]) -> None:
    assert support(*case) == "stated"


@pytest.mark.parametrize(
    "case",
    [*NOT_STATED, *NOT_STATED_PROPERTIES, *NOT_STATED_WORDINGS],
    ids=lambda case: f"{case[1][:30]}-{case[3]}",
)
def test_a_sentence_does_not_state_a_claim(case: tuple[str, str, str, str, str]) -> None:
    assert support(*case) != "stated"


def test_an_underlined_heading_states_nothing() -> None:
    text = "Anna Lee founded the Halden Brewery\n====================\n\nIt brews."
    index = index_of(text)
    claim = HopClaim("Anna Lee", "founded", "Halden Brewery")
    assert "stated" not in [support_in(claim, one, index) for one in index.sentences["c1"]]


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (HopClaim("Hall A", "price", "18400"), "stated"),
        (HopClaim("Winter prices", "price", "18400"), "partly"),
        (HopClaim("Hall A", "metres", "18400"), "partly"),
        (HopClaim("Hall A", "price", "12"), "partly"),
    ],
)
def test_row_states_what_its_labels_say(claim: HopClaim, expected: str) -> None:
    text = "berth: Hall A; metres: 12; price: 18400"
    index = index_of(text, title="Winter prices", doc_id="prices.xlsx")
    (sentence,) = index.sentences["c1"]
    assert support_in(claim, sentence, index) == expected


def test_cells_of_a_row_say_nothing_of_each_other() -> None:
    text = "station: Moorgate; line: North Line; architect: Anna Reed"
    index = index_of(text, title="stations", doc_id="stations.csv")
    (sentence,) = index.sentences["c1"]
    assert support_in(HopClaim("Moorgate", "architect", "Anna Reed"), sentence, index) == "stated"
    assert support_in(HopClaim("Anna Reed", "line", "North Line"), sentence, index) == "partly"


def test_he_is_no_mill() -> None:
    text = "Alding Mill is a flour mill in Alding. Tom Reed ran it. He died in 1911."
    index = index_of(text, title="Alding Mill", doc_id="mill.txt")
    last = index.sentences["c1"][-1]
    assert support_in(HopClaim("Alding Mill", "died in", "1911"), last, index) == "partly"
    assert support_in(HopClaim("Tom Reed", "died in", "1911"), last, index) == "stated"


def checked(subject: str, predicate: str, object_: str, answer: str) -> Verification:
    hop = HopClaim(subject, predicate, object_, "c1")
    draft = Draft("generic", answers=(answer,), hops=(hop,))
    return verify(draft, QUESTION, "bridge", Evidence(chunks=(Hit(CHUNK),)))


@pytest.mark.parametrize(
    ("subject", "predicate", "object_"),
    [
        ("Adam Holt", "asked on 12 October 2026", "if you have received the curtains"),
        ("Adam Holt", "asked whether Bo had received the curtains on", "2026-10-12"),
        ("Bo Thale", "said that he really likes", "the patterns"),
        ("Bo Thale", "really likes", "the patterns"),
        ("Bo", "has paid", "the rent"),
    ],
)
def test_what_a_message_tells_with_its_head_is_stated(
    subject: str, predicate: str, object_: str
) -> None:
    verdict = checked(subject, predicate, object_, object_)
    assert verdict.trail.hops[0].support == "stated"


@pytest.mark.parametrize(
    ("subject", "predicate", "object_"),
    [
        ("Adam Holt", "asked on 13 October 2026", "if you have received the curtains"),
        ("Bo Thale", "asked", "if you have received the curtains"),
        ("Adam Holt", "asked about the rent on", "2026-10-12"),
        ("Bo Thale", "paid the rent on", "2026-10-12"),
        ("Adam Holt", "has sold", "the boat"),
        ("Adam Holt", "said that he has sold", "the boat"),
    ],
)
def test_what_it_does_not_tell_is_not_stated(subject: str, predicate: str, object_: str) -> None:
    assert checked(subject, predicate, object_, object_).trail.hops[0].support != "stated"


def test_the_day_of_a_message_and_its_writer_stand_in_the_trail() -> None:
    told = ("Adam Holt", "asked whether Bo had received the curtains on", "2026-10-12")
    assert checked(*told, answer="12 October 2026").verified
    assert checked(*told, answer="Adam Holt").verified
    assert not checked(*told, answer="13 October 2026").verified


def test_a_day_that_is_only_that_of_the_message_is_no_day_of_what_it_tells() -> None:
    verdict = checked("Bo Thale", "paid the rent on", "2026-10-12", "2026-10-12")
    assert (verdict.verified, verdict.trail.hops[0].support) == (True, "partly")
