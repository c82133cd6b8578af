"""A question as a part of a sentence: "Who is the head coach?" as "who the head coach is"."""

from __future__ import annotations

import re

from hoptrail.agents.language.sentence_grammar import IRREGULAR_VERBS

_WORDS_BEFORE = r"in|on|at|to|from|by|for|with|of|under|over|until|since|during|about|near|into"
_QUESTION = re.compile(
    rf"(?P<wh>(?:(?:{_WORDS_BEFORE})\s(?:the\s)?)?(?:who|whom|whose|what|which|when|where|why|how)\b)"
    r"(?P<noun>(?:\s(?!(?:that|who|which|is|are|was|were|do|does|did)\b)[^\s?,]{1,40}){0,4}?)"
    r"\s(?P<aux>is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|must|may"
    r"|might)\s(?P<rest>\S.{0,400})",
    re.IGNORECASE,
)
_OPENS = re.compile(
    rf"(?:(?:{_WORDS_BEFORE})\s)?(?:who|whose|what|which|when|where|why|how)\b", re.I
)
_BE = frozenset("is are was were".split())
_HAVE = frozenset("has have had".split())
_DO = frozenset("do does did".split())
_MODALS = frozenset("can could may might must shall should will would".split())
_STRANDED = frozenset("of by in for from to with at on as about into called named like".split())
_STATES = frozenset("open closed due available free valid born able allowed located based".split())
_ON_WHICH = frozenset("call display duty holiday leave loan offer sale show trial".split())
_PRONOUNS = frozenset("i you he she it we they one everyone anyone".split())
_RELATIVE = frozenset("who that which".split())
_NO_NOUN_BEFORE = frozenset(
    "the a an our my your his her its their this that these those most more and or of for".split()
)
_NO_PARTICIPLES = frozenset(
    "hundred red bed seed feed need speed king ring wing spring string "
    "thing evening morning meeting training building wedding heating opening during".split()
)
_VERBS = frozenset(
    """cost pay take last weigh need get give make have charge open close start begin end go come
    run play live work own hold use row mean say do see find happen arrive leave depart buy sell
    build found join meet stay serve cover include contain belong become keep read write lead win
    lose die retire move measure carry earn receive offer produce supply provide deliver rise fall
    grow follow replace teach train study speak hire rent fit stand lie sit bake cook drive fly
    sail swim walk call ring reach return send order book fix repair paint sponsor organise
    organize manage chair coach marry study design publish direct compose record expire
    finish""".split()
)
_PAST = {
    "cost": "cost", "pay": "paid", "take": "took", "get": "got", "give": "gave", "make": "made",
    "have": "had", "begin": "began", "go": "went", "come": "came", "run": "ran", "hold": "held",
    "mean": "meant", "say": "said", "do": "did", "see": "saw", "find": "found", "leave": "left",
    "buy": "bought", "sell": "sold", "build": "built", "meet": "met", "become": "became",
    "keep": "kept", "read": "read", "write": "wrote", "lead": "led", "win": "won", "lose": "lost",
    "rise": "rose", "fall": "fell", "grow": "grew", "teach": "taught", "speak": "spoke",
    "fit": "fitted", "stand": "stood", "lie": "lay", "sit": "sat", "drive": "drove", "fly": "flew",
    "swim": "swam", "ring": "rang", "send": "sent",
}  # fmt: skip
_VOWELS = frozenset("aeiou")


def indirect_question(question: str) -> str | None:
    """Return what follows "it is not known" for a question, None where its form leaves a doubt.

    "When was the mill built?" is "when the mill was built", "What does it cost?" "what it costs".
    """
    text = " ".join(question.split()).rstrip(" ?.!")
    if "?" in text or _OPENS.match(text) is None:
        return None
    text = text[0].lower() + text[1:]
    match = _QUESTION.fullmatch(text)
    if match is None or _asks_for_subject(match):
        return text  # "who founded the club"
    opening, aux = match["wh"] + match["noun"], match["aux"].lower()
    words = match["rest"].split()
    if aux in _BE:
        return _with_being(opening, aux, words)
    if aux in _DO:
        return _with_verb(opening, aux, words)
    is_end = _is_complement if aux in _HAVE else _is_verb
    place = next((at for at in range(1, len(words)) if is_end(words, at)), None)
    return None if place is None else _inserted(opening, words, place, aux)


def _asks_for_subject(match: re.Match[str]) -> bool:
    """Return whether the asked thing itself does what the question tells: "who has the keys"."""
    words, aux = match["rest"].split(), match["aux"].lower()
    if aux in _BE:  # "who is dealing with it", "which is dearer, a dog or a cat"
        is_named = words[0].lower() in _NO_NOUN_BEFORE
        return not is_named and (_is_participle(words[0]) or words[0].endswith(","))
    if match["wh"].lower() not in {"who", "what"} or match["noun"]:
        return False
    if aux in _HAVE:  # but "what had the dog swallowed"
        return _is_participle(words[0]) or not any(
            _is_complement(words, at) for at in range(1, len(words))
        )
    opens_subject = words[0][0].isupper() or words[0].lower() in _NO_NOUN_BEFORE | _PRONOUNS
    return aux in _MODALS and not opens_subject


def _is_participle(word: str) -> bool:
    word = word.lower().rstrip(",")
    is_formed = len(word) > 4 and word.endswith(("ed", "ing")) and word not in _NO_PARTICIPLES
    return is_formed or word == "been" or word in IRREGULAR_VERBS


def _with_being(opening: str, aux: str, words: list[str]) -> str:
    places = range(1, len(words))
    is_adverb = opening.split()[0] in {"when", "where", "why"} or opening == "how"
    if is_adverb:
        # "Where the man who turned the mill into flats was born": not "who was turned".
        ends = [at for at in places if _is_complement(words, at)]
        main = [at for at in ends if words[at - 1].lower() not in _RELATIVE]
        place = ends[-1] if ends[-1:] == [len(words) - 1] else next(iter(main), len(words))
    else:  # "what the cake is made of", but "who the owner of the house built in 1990 is"
        last = len(words) - (words[-1].lower() in _STRANDED and len(words) > 2)
        kind = next((at for at in places if _opens_kind(words, at)), len(words))
        place = last - 1 if last - 1 in places and _is_complement(words, last - 1) else kind
    return _inserted(opening, words, place, aux)


def _with_verb(opening: str, aux: str, words: list[str]) -> str | None:
    place = next((at for at in range(1, len(words)) if _is_verb(words, at)), None)
    if place is None or "not" in words:
        return None
    verb = words[place].lower()
    words = [*words[:place], _inflected(verb, aux), *words[place + 1 :]]
    return f"{opening} {' '.join(words)}"


def _inserted(opening: str, words: list[str], place: int, aux: str) -> str:
    return " ".join((opening, *words[:place], aux, *words[place:]))


def _is_complement(words: list[str], at: int) -> bool:
    """Return whether a word is a participle or tells a state: what "is" stands before."""
    word = words[at].lower().rstrip(",")
    if words[at - 1].lower() in _NO_NOUN_BEFORE or word in _NO_PARTICIPLES:
        return False
    if word == "on" and words[at + 1 :] and words[at + 1].lower() in _ON_WHICH:
        return True
    return word in _STATES or _is_participle(word)


def _opens_kind(words: list[str], at: int) -> bool:
    """Return whether "a member of" begins at a word: what "is" stands before as well."""
    return words[at].lower() in {"a", "an"} and words[at - 1].lower() not in (
        _NO_NOUN_BEFORE | _STRANDED
    )


def _is_verb(words: list[str], at: int) -> bool:
    word = words[at].lower().rstrip(",")
    is_verb = word in _VERBS or word in {"be", "been", "not"} or word in IRREGULAR_VERBS
    return is_verb and words[at - 1].lower() not in _NO_NOUN_BEFORE


def _inflected(verb: str, aux: str) -> str:
    """Return the form of a verb that says what "does" or "did" says with it."""
    if aux == "do":
        return verb
    ends_in_y = verb[-1] == "y" and verb[-2] not in _VOWELS
    if aux == "does":
        if verb == "have":
            return "has"
        if ends_in_y:
            return f"{verb[:-1]}ies"
        return f"{verb}es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{verb}s"
    if verb in _PAST:
        return _PAST[verb]
    if ends_in_y:
        return f"{verb[:-1]}ied"
    return f"{verb}d" if verb.endswith("e") else f"{verb}ed"
