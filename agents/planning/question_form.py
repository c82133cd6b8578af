"""The form of a question: its names masked, cues of its type, and whether it is about the whole."""

from __future__ import annotations

import re

import numpy as np

from hoptrail.core.embedding import FloatArray
from hoptrail.core.text import STOP_WORDS, flat

_MASK = "X"
_OPENERS = STOP_WORDS | {"name", "list", "tell", "give", "find", "identify"}
_FIRST_WORD = re.compile(r"\w+")
_NAME = re.compile(
    r"""(?:\b[A-Z][\w'’.&-]*|\b\d[\w-]*)
    (?:\s+(?:of|the|in|on|for|to|a|de|von|van|la|du|&|at|with|from)\b(?=\s+(?:the\s+)?[A-Z])
      |\s+[A-Z\d][\w'’.&-]*
      |\s*\([^)]*\)
      |\s+the(?=\s+[A-Z]))*""",
    re.VERBOSE,
)
_PAIR = re.compile(r"X,? (?:and|&) (?:the |a )?X", re.IGNORECASE)
_CHOICE = re.compile(r"\bX,? or (?:the |an? )?X\W*$")
_OR = re.compile(r"\bor\b", re.IGNORECASE)
_SHARED = re.compile(r"\b(?:both|same|common|shared?|differ\w*)\b", re.IGNORECASE)
_DEGREE = re.compile(
    r"""\b(?:more|most|less|fewer|older|oldest|younger|youngest|earlier|later|larger|bigger|smaller
    |longer|shorter|taller|higher|lower|better|first|last|recently)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_YES_NO = re.compile(r"(?:is|are|was|were|do|does|did|has|have|between)\b", re.IGNORECASE)
_EXPLAIN = re.compile(
    r"""why\b|how\b(?!\s(?:many|much|old|long|tall|far|big|large|often)\b)
    |(?:explain|describe|discuss|compare|summari[sz]e)\b""",
    re.IGNORECASE | re.VERBOSE,
)
_KINSHIP = re.compile(
    r"""\b(?:grand(?:father|mother|parent|son|daughter|child)|step\w+|\w+[ -]in[ -]law|uncle|aunt
    |cousin|nephew|niece|siblings?)\b""",
    re.IGNORECASE | re.VERBOSE,
)

_REQUESTS = frozenset(
    ("across", "compare", "describe", "discuss", "explain", "identify", "outline", "overall")
    + ("summarise", "summarize", "throughout")
)
_NUMBER = re.compile(r"\b\d+\b")
_MASKED_NAME = re.compile(rf"\b{_MASK}\b")
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


def mask_names(question: str) -> str:
    """Return the question with X for each run of capitalised words or numbers.

    What is left tells the kind of question, whatever it is about: "Which film came out first, X or
    X?". Names that stand beside each other ("X and X") stay apart.
    """
    text = flat(question)
    first = _FIRST_WORD.match(text)
    start = first.end() if first and first.group().lower() in _OPENERS else 0
    return text[:start] + _NAME.sub(_MASK, text[start:])


def asks_to_choose(masked: str) -> bool:
    """Return whether a masked question ends with two names to choose from: "..., X or X?"."""
    return _CHOICE.search(masked) is not None


def wording_cues(masked: str) -> FloatArray:
    """Return cues of a masked question's type, 0 or 1, shape (9,).

    Comparisons set alternatives or degrees against each other; explanations, and kinship at one
    remove, are concluded rather than looked up.
    """
    has_or, has_degree = bool(_OR.search(masked)), bool(_DEGREE.search(masked))
    has_pair, is_yes_no = bool(_PAIR.search(masked)), bool(_YES_NO.match(masked))
    cues = (
        has_or,
        has_pair,
        bool(_SHARED.search(masked)),
        has_degree,
        has_degree and has_or,
        is_yes_no,
        is_yes_no and has_pair,
        bool(_EXPLAIN.match(masked)),
        bool(_KINSHIP.search(masked)),
    )
    return np.array(cues, dtype=np.float32)


def asks_about_whole(question: str) -> bool:
    """Return whether a question is about the collection and names nothing to start from.

    It speaks of the collection itself, or of its main subjects: "What are the main conflicts?".
    None of 3,000 development questions that look something up (MuSiQue, HotpotQA, 2Wiki, MetaQA,
    WebQSP, CWQ, MultiHop-RAG, LiHua-World) is taken for one.
    """
    text = _NUMBER.sub("", flat(question))
    first = _FIRST_WORD.match(text)
    is_request = first is not None and first.group().lower() in _REQUESTS
    asked = text[first.end() :] if first is not None and is_request else text
    if _MASKED_NAME.search(mask_names(asked)):
        return False
    if _COLLECTION.search(text):
        return True
    return bool(_SUBJECT.search(text) and _PROMINENT.search(text))
