"""The subject of the section below a heading, where the heading names a thing of its own."""

from __future__ import annotations

import re

from hoptrail.agents.language.capitalised_names import capitalised_spans
from hoptrail.core.text import name_key, words

_NUMBERING = re.compile(r"^(?:\d{1,3}[.)]?(?:\d{1,3}[.)]?){0,3}\s{1,9})?")
_ARTICLE = re.compile(r"(?:the|an?)\s{1,3}", re.IGNORECASE)
# Headings of parts of a text, not of things.
_PARTS = frozenset(
    """history background overview introduction summary abstract contents career life biography
    education family works legacy reception plot cast production release awards personal early later
    death design construction architecture description location geography climate economy
    demographics culture government politics transport sports media notes references sources links
    reading gallery details information data facts contact contacts address prices price fees terms
    conditions scope purpose definitions parties payment duration liability annex appendix index
    questions answers faq news events services products members staff team people about usage
    installation requirements features specifications results discussion methods conclusion
    conclusions warranty support delivery safety maintenance operation opening hours agenda minutes
    decisions present absent changes status next steps""".split()
)


def section_topic(heading: str, title: str) -> str:
    """Return the thing that a heading names, empty where it names a part of the text or the title.

    "2. The Old Granary" is about the Old Granary, "Opening hours" about what the title names.

    Args:
        heading: The line, its signs and number included.
        title: The document's title.
    """
    bare = heading.strip(" \t\r\n#*_=-")
    bare = _NUMBERING.sub("", bare, count=1)
    article = _ARTICLE.match(bare)
    name = bare[article.end() :] if article else bare
    if not name or _PARTS & set(words(name)) or name_key(name) == name_key(title):
        return ""
    return name if capitalised_spans(f"of {name}") == [(3, 3 + len(name))] else ""
