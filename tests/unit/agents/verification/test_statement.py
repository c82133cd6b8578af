"""Which claims a sentence states: sentences and claims were written before the code."""

from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.verification.statement import support_in
from hoptrail.core.types import Chunk, Evidence, Hit
from hoptrail.core.types.draft import HopClaim

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


def support(title: str, sentence: str, subject: str, predicate: str, object_: str) -> str:
    lead = f"{title} is told of here. "
    text = lead + sentence
    chunk = Chunk("c1", "d1", title, text, 0, len(text))
    index = EvidenceIndex(Evidence(chunks=(Hit(chunk, 1.0, "vector"),)))
    told = [one for one in index.sentences["c1"] if one.text in sentence]
    if not told:  # a heading is no sentence at all
        return "none"
    return support_in(HopClaim(subject, predicate, object_), told[-1], index)


@pytest.mark.parametrize("case", STATED, ids=lambda case: f"{case[2]}-{case[3]}-{case[4]}")
def test_a_sentence_states_a_claim(case: tuple[str, str, str, str, str]) -> None:
    assert support(*case) == "stated"


@pytest.mark.parametrize("case", NOT_STATED, ids=lambda case: f"{case[1][:30]}-{case[3]}")
def test_a_sentence_does_not_state_a_claim(case: tuple[str, str, str, str, str]) -> None:
    assert support(*case) != "stated"
