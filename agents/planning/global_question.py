"""Questions about a collection as a whole: they name nothing that a search could start from."""

from __future__ import annotations

import re

from hoptrail.agents.planning.question_form import mask_names

_REQUESTS = frozenset(
    ("across", "compare", "describe", "discuss", "explain", "identify", "outline", "overall")
    + ("summarise", "summarize", "throughout")
)
_FIRST_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\b\d+\b")
_NAME = re.compile(r"\bX\b")
_COLLECTION = re.compile(
    r"""\b(?:
      (?:th(?:e|is|ese|ose)|all|our|my)\s(?:\w+\s)?
        (?:collection|corpus|data(?:\s?set|base)?|documents|texts|stories|articles|papers|archive)
      |this\s(?:document|text|story|book|novel|tale|article|paper)
      |th(?:e|is)\s(?:whole|entire|full|complete)\s
        (?:document|text|story|book|novel|tale|article|paper|work|collection|corpus)
      |(?:document|text|story|book|novel|tale|article|paper|work)s?\sas\sa\swhole
      |summari[sz]e\s(?:everything|it\sall)
      |throughout(?=\W*\Z)
      |(?:in|of|throughout|across|is|does)\sthe\s
        (?:document|text|story|book|novel|tale|article|paper)
    )\b(?!\s(?:that|which|by|called|named)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_PROMINENT = re.compile(
    r"""\b(?:main|major|key|central|top|common|recurring|primary|principal|dominant|overall
    |overarching|(?:most|more)\s(?:important|prominent|frequent\w*|common\w*|often|significant))\b""",
    re.IGNORECASE | re.VERBOSE,
)
_SUBJECT = re.compile(
    r"""\b(?:themes?|topics?|subjects?|motifs?|ideas?|issues|conflicts?|events|characters|trends?
    |patterns?|lessons?|morals?|messages?|challenges|problems|concerns|debates|developments
    |arguments|findings|strategies|genres|insights|relationships|picture|plot|summary|overview
    |people|persons|figures|points)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def asks_about_whole(question: str) -> bool:
    """Return whether a question is about the collection and names nothing to start from.

    It speaks of the collection itself, or of its main subjects: "What are the main conflicts?".
    None of 3,000 development questions that look something up (MuSiQue, HotpotQA, 2Wiki, MetaQA,
    WebQSP, CWQ, MultiHop-RAG, LiHua-World) is taken for one.
    """
    text = _NUMBER.sub("", " ".join(question.split()))
    first = _FIRST_WORD.match(text)
    is_request = first is not None and first.group().lower() in _REQUESTS
    asked = text[first.end() :] if first is not None and is_request else text
    if _NAME.search(mask_names(asked)):
        return False
    if _COLLECTION.search(text):
        return True
    return bool(_SUBJECT.search(text) and _PROMINENT.search(text))
