"""Invented passages and the claims that they state."""

from __future__ import annotations

from hoptrail.eval.planted.claims import PassageClaim

MILL = (
    "Red Mill is a 1951 drama film directed by Ada Koss and written by Per Lund. "
    "The premiere took place in Varde. Ole Brandt praised its colours in 1960."
)
KOSS = "Ada Koss (4 May 1902 – 7 June 1980) was a Danish director. Her brother Jon Koss sailed."
LANE = "Elm Lane is a 1974 film directed by Ida Holm. It was shown in Odense."
BRIDGE = "Ash Bridge is a bridge located in Norby. It has three arches."


def claim(
    passage: str, title: str, subject: str, predicate: str, object_: str, id_: str = ""
) -> PassageClaim:
    quote = next(one for one in passage.split(". ") if object_ in one).rstrip(".") + "."
    name = id_ or f"{subject} {predicate} {object_}"
    return PassageClaim(name, title, title, passage, quote, subject, predicate, object_)


DIRECTED = claim(MILL, "Red Mill", "Red Mill", "directed by", "Ada Koss")
WRITTEN = claim(MILL, "Red Mill", "Red Mill", "written by", "Per Lund")
BORN = claim(KOSS, "Ada Koss", "Ada Koss", "date of birth", "4 May 1902")
DIED = claim(KOSS, "Ada Koss", "Ada Koss", "date of death", "7 June 1980")
LANE_DIRECTED = claim(LANE, "Elm Lane", "Elm Lane", "directed by", "Ida Holm")
LOCATED = claim(BRIDGE, "Ash Bridge", "Ash Bridge", "located in", "Norby")
CLAIMS = (DIRECTED, WRITTEN, BORN, DIED, LANE_DIRECTED, LOCATED)
