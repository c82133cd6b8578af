"""Claims that a sentence makes about its passage's title, read by patterns of high precision."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hoptrail.core.text import sentence_spans
from hoptrail.eval.planted.claims import PassageClaim
from hoptrail.eval.planted.relations import RELATIONS, RelationWording
from hoptrail.eval.planted.texts import hints_at, spells, telling_words, values_in

_QUALIFIER = re.compile(r"(?<!\s)\s*+\([^()]*+\)$")
_PRONOUN = re.compile(r"(?:He|She|It|His|Her|Its)\b")
# After these words a sentence may speak of something else than its subject.
_DETOUR = re.compile(
    r"\b(?:who|whom|which|that|where|when|whose|based on|adapt\w+|sequel|remake|prequel|from the|"
    r"by|of the same name|series|starring|featuring|follow\w*|after|before|while|but|not|never)\b"
    r"|[\"“:;]"
)
_VERB = re.compile(
    r"\b(?:is|was|are|were|has|had|became|founded|wrote|won|joined|married|directed|attended|"
    r"released|produced|received|moved|played|served|studied|began|published|designed|built|lies|"
    r"contains|borders|serves|features|includes|signed|approved|bought|sold|made|opened|closed|costs|runs|leads|led|manages|reports|carries|holds|"
    r"owns|supplies|supplied|repaired|replaced|agreed|ordered|paid|chaired|weighs|measures)\b"
)
_WHOLE_PREDICATE = re.compile(rf"[\w -]*\b(?:by|in|of|at|to|for|on|with)|{_VERB.pattern}")
_LONGEST_PREDICATE = 8
_LONGEST_SUBJECT = 6
_NO_SUBJECT = re.compile(
    r"(?:In|On|At|By|For|From|After|Before|During|Since|When|While|If|As|With|Until|There|Here|It|He|She|"
    r"They|We|You|I|His|Her|Its|Their|My|Our|Your|This|That|These|Those|Who|What|Which|Where|Why|How|Both|"
    r"Some|One|Originally|Most|Recently|Currently|Today|First|Later|Once|Now|Also|Not|No|But|And|However|Please|Although|Another|Each|Other)\b"
)
_OTHER_CLAUSE = re.compile(
    r"\b(?:who|which|that|whose|because|but|not|to|will)\b|n't\b|\band$|\n|- "
)
_NO_FACT = re.compile(
    r"\b(?:and|not|never|no|will|would|to be|planned|may|might|should|must|if)\b|n't\b"
)
_ROOM_FOR_FULL_NAME = 60
# After an object that is a whole phrase: "in Paris." but not "an English actor".
_PHRASE_END = re.compile(
    r"$|[.,;)]|\s(?:and|or|in|at|on|from|with|as|for|to|by|who|which|that|where|when)\b"
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a data set; `id` is the claims' `doc_id`."""

    id: str
    title: str
    text: str


def topic(title: str) -> str:
    """Return a title without its qualifier in parentheses."""
    return _QUALIFIER.sub("", title)


def worded_claims(passage: Passage) -> Iterator[PassageClaim]:
    """Yield what a passage's sentences state about its title in one of the known wordings.

    The subject is the title where a sentence begins with it, is the first of the passage and shares
    its words, or begins with a pronoun and no other person was named before.
    """
    for quote in _own_sentences(passage):
        for relation in RELATIONS:
            for object_ in _objects(relation, quote, passage):
                predicate = _chosen(relation.wordings(object_), passage.text, object_)
                yield _claim(passage, quote, topic(passage.title), predicate, object_)


def literal_claims(passage: Passage, quotes: Sequence[str]) -> Iterator[PassageClaim]:
    """Yield subject, verb and object of sentences, the predicate being all words between both.

    Args:
        passage: Where the sentences stand.
        quotes: Sentences of it.
    """
    for quote in quotes:
        subject = _subject(quote)
        if not subject or quote not in passage.text:
            continue
        rest = " ".join(quote[len(subject) :].split())
        for mention in values_in(rest):
            predicate = rest[: mention.start].strip()
            words = predicate.split()
            is_phrase = _PHRASE_END.match(rest, mention.end) is not None
            is_whole = _WHOLE_PREDICATE.fullmatch(predicate) and not _NO_FACT.search(predicate)
            if is_phrase and is_whole and len(words) <= _LONGEST_PREDICATE:
                yield _claim(passage, quote, " ".join(subject.split()), predicate, mention.text)
                break


def _own_sentences(passage: Passage) -> Iterator[str]:
    name = topic(passage.title)
    others: set[str] = set()
    for place, (start, end) in enumerate(sentence_spans(passage.text)):
        quote = passage.text[start:end]
        opening = telling_words(quote[: len(name) + _ROOM_FOR_FULL_NAME])
        is_lead = place == 0 and telling_words(name) <= opening
        pronoun = _PRONOUN.match(quote)
        is_pronoun = pronoun is not None and not others and _same_sex(pronoun.group(), passage.text)
        if is_lead or quote.startswith(name) or is_pronoun:
            yield quote
        others |= set() if is_lead else _people(quote) - telling_words(name)


def _same_sex(pronoun: str, text: str) -> bool:
    """Return whether a pronoun may stand for what the text's first "he" or "she" stands for."""
    first = re.search(r"\b(?:he|she|his|her)\b", text, re.IGNORECASE)
    return first is None or pronoun[0].lower() in {"i", first.group()[0].lower()}


def _people(quote: str) -> set[str]:
    """Return the words of a name that opens the sentence: a later pronoun could stand for it."""
    first = next(iter(values_in(quote)), None)
    return set(telling_words(first.text)) if first is not None and first.start == 0 else set()


def _objects(relation: RelationWording, quote: str, passage: Passage) -> Iterator[str]:
    for pattern in relation.patterns:
        match = pattern.search(quote)
        if match is None:
            continue
        name = topic(passage.title)
        object_ = match["o"]
        is_anchored = pattern.pattern.startswith("^")
        if not is_anchored and _DETOUR.search(quote[: match.start()].replace(name, "")):
            continue
        if not hints_at(name, object_) and spells(quote, object_):
            yield object_
            return


def _subject(quote: str) -> str:
    """Return the words before a sentence's first verb, empty where they could be anything else."""
    verb = _VERB.search(quote)
    before = quote[: verb.start()].rstrip() if verb else ""
    words = before.split()
    is_plain = re.fullmatch(r"[\w'’.&\s-]+", before) is not None
    if not 0 < len(words) <= _LONGEST_SUBJECT or not is_plain or not words[0][:1].isupper():
        return ""
    return "" if _NO_SUBJECT.match(before) or _OTHER_CLAUSE.search(before) else before


def _chosen(options: Sequence[str], *parts: str) -> str:
    """Return one of the options, the same one for the same parts."""
    digest = hashlib.sha256("\n".join(parts).encode()).digest()
    return options[int.from_bytes(digest[:4], "big") % len(options)]


def claim_id(doc_id: str, quote: str, predicate: str, object_: str) -> str:
    """Return an id that the same claim has in every run."""
    digest = hashlib.sha256(f"{quote}\n{predicate}\n{object_}".encode()).hexdigest()
    return f"{doc_id}:{digest[:8]}"


def _claim(
    passage: Passage, quote: str, subject: str, predicate: str, object_: str
) -> PassageClaim:
    return PassageClaim(
        claim_id(passage.id, quote, predicate, object_),
        passage.id,
        passage.title,
        passage.text,
        quote,
        subject,
        predicate,
        object_,
    )
