"""Whether a sentence says a claim in the claim's own words, one after the other.

Models are asked to word a step as its passage does. So most steps can be found word by word, with
little between: an adverb, an article, a bracket. What is left to find out is of whom it is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hoptrail.agents.language.assertion import is_asserted
from hoptrail.agents.language.clauses import without_asides
from hoptrail.agents.language.sentence_grammar import BE, SentenceGrammar
from hoptrail.agents.verification.claim_ends import EndInSentence

_FILLERS = frozenset(
    """a an the also later then first now once again still already originally eventually
    subsequently , " “ ” ' ‘ ’""".split()
)
_MOST_FILLERS = 3
_LEADING = frozenset("the its his her their".split())
_APART = frozenset("who which that whose where when while but whereas although ; :".split())
_FEWEST_WORDS = 2
_PHRASE_ENDS = _APART | frozenset("in at on by of for from to with about , (".split())
_OF_DEFINITIONS = frozenset("is was are were a an the of who which that from".split())


def wording_of(predicate: str) -> tuple[str, ...]:
    """Return the words of a predicate, split as a sentence is: "half-brother" is one in both."""
    told = (token.low for token in SentenceGrammar(without_asides(predicate, ())).tokens)
    return tuple(word for word in told if any(map(str.isalnum, word)))


class WordedClaim:
    """Looks for the words of one claim in one sentence.

    Args:
        text: The sentence.
        grammar: Its grammar, without asides, the claim's ends read as names.
        subject: Where the sentence has the claim's subject.
        object_: Where it has the claim's object.
        wording: The words of the claim's predicate, as `wording_of` splits it.
        is_lead: Whether the sentence is the first of its document.
    """

    def __init__(
        self,
        text: str,
        grammar: SentenceGrammar,
        subject: EndInSentence,
        object_: EndInSentence,
        wording: Sequence[str],
        *,
        is_lead: bool,
    ) -> None:
        # A comma or a "not" within a name says nothing.
        self._text = text
        for first, last in (*subject.spans, *object_.spans):
            self._text = f"{self._text[:first]}{'_' * (last - first)}{self._text[last:]}"
        self._grammar = grammar
        self._subject = subject
        self._object = object_
        self._subjects = [at for at in (grammar.tokens_in(*one) for one in subject.spans) if at]
        self._objects = [at for at in (grammar.tokens_in(*one) for one in object_.spans) if at]
        self._words = wording
        self._is_lead = is_lead

    def is_stated(self) -> bool:
        """Return whether the sentence says the claim of its subject, and does not deny it."""
        if len(self._words) < _FEWEST_WORDS:
            return False
        return self._is_definition() or any(
            self._is_of_subject(start) and self._is_asserted(start, stop)
            for start, stop in self._spelled()
        )

    def _is_definition(self) -> bool:
        """Return whether the claim tells some words of what its document defines.

        "Red Fern is a 1961 Danish film by Ann Lee" states "Red Fern | is a film of | 1961".
        """
        grammar = self._grammar
        copula = next((at for at in range(len(grammar.tokens)) if grammar.is_verb(at)), 0)
        is_about = any(
            at.stop == one.head_end
            for at in self._subjects
            for one in (grammar.subjects(copula) if self._is_lead and copula else ())
        )
        if not is_about or grammar.low(copula) not in BE or self._words[0] not in BE:
            return False
        ends = [copula + 1, copula + 1]  # of the noun phrase, and of what is told of it
        for place, stops in enumerate((_PHRASE_ENDS, _APART)):
            while grammar.low(ends[place]) not in {"", ".", *stops} and not (
                grammar.is_verb(ends[place])
            ):
                ends[place] += 1
        told = {grammar.low(at) for at in range(copula, ends[1])}
        wanted = set(self._words) - _OF_DEFINITIONS
        return wanted <= told and any(
            copula < at.start and at.stop <= ends[0] and self._is_asserted(copula, at.stop)
            for at in self._objects
        )

    def _spelled(self) -> Iterator[tuple[int, int]]:
        """Yield where the predicate's words and the object stand, as places of tokens."""
        for at in self._objects:
            place, wanted = at.start, list(self._words)
            start = place
            while wanted and place > 0:
                place = self._before(place)
                if self._grammar.low(place) != wanted[-1]:
                    break
                wanted.pop()
                start = place
            if not wanted:
                yield start, at.stop

    def _before(self, place: int) -> int:
        """Return the place of the word before, what says nothing skipped where need be."""
        wanted = self._words
        place -= 1
        for _ in range(_MOST_FILLERS):
            token = self._grammar.low(place)
            if token in wanted or not (token in _FILLERS or token.endswith("ly")):
                break
            place -= 1
        return place

    def _is_of_subject(self, start: int) -> bool:
        grammar = self._grammar
        if grammar.is_verb(start):
            phrases = grammar.subjects(start)
            heads = [range(one.start, one.head_end) for one in phrases]
            if any(at.stop == head.stop for at in self._subjects for head in heads):
                return True
        elif any(self._is_beside(at, start) for at in self._subjects):
            return True
        return self._subject.is_topic and (self._opens(start) or self._is_told_on(start))

    def _is_beside(self, subject: range, start: int) -> bool:
        """Return whether a phrase stands right behind the subject, and tells of no other.

        "The sister of Ann Lee, former mayor of" may tell of either.
        """
        low = self._grammar.low
        is_next = subject.stop + (low(subject.stop) in {",", "("}) == start
        return is_next and low(subject.start - 1) != "of"

    def _opens(self, start: int) -> bool:
        """Return whether the sentence begins there: "The first location was opened in"."""
        return start - (self._grammar.low(start - 1) in _LEADING) == 0

    def _is_told_on(self, start: int) -> bool:
        """Return whether the sentence is about the topic up to there, and about nothing else.

        "Ann Lee is a poet, a painter and for two terms mayor of": the verb is "is" alone.
        """
        grammar = self._grammar
        is_named = self._is_lead and any(at.start <= 1 for at in self._subjects)
        is_taken_up = not self._subjects and grammar.low(0) in {"he", "she", "it"}
        is_taken_up = is_taken_up and not (self._subject.is_thing and grammar.low(0) != "it")
        if not (is_named or is_taken_up):
            return False
        behind = self._subjects[0].stop if is_named else 1
        between = range(behind, start)
        verbs = [at for at in between if grammar.is_verb(at) and grammar.low(at) not in BE]
        forms = [at for at in between if grammar.low(at) in BE]
        has_verb = grammar.is_verb(start) or len(forms) == 1
        is_apart = any(grammar.low(at) in _APART for at in between)
        return has_verb and not verbs and len(forms) <= 1 and not is_apart

    def _is_asserted(self, start: int, stop: int) -> bool:
        tokens = self._grammar.tokens
        return is_asserted(self._text, tokens[start].start, tokens[stop - 1].end) and all(
            any(is_asserted(self._text, *span) for span in end.spans)
            for end in (self._subject, self._object)
            if end.spans
        )
