"""Look an answer up in rows and labelled lines by the words alone, in any language.

"Welchen Lagerort hat das Kupferrohr 15 mm?" names a cell and the label of another one in its row.
"""

from __future__ import annotations

from collections.abc import Iterator

from hoptrail.agents.evidence.evidence_index import EvidenceIndex, Sentence
from hoptrail.agents.language.labelled_text import LabelledPart, labelled_parts
from hoptrail.agents.language.reserves import ASKED, unstated
from hoptrail.agents.language.table_rows import cell_text
from hoptrail.core.language.detection import question_language
from hoptrail.core.language.stems import content_stems, stemmer_of
from hoptrail.core.language.stop_words import stop_words
from hoptrail.core.text import contains_answer, name_key
from hoptrail.core.types.draft import Draft, HopClaim


def look_up_labelled(question: str, index: EvidenceIndex) -> Draft | None:
    """Return the one cell whose label a question has, in a row that it names, else None.

    The question spells another cell of the row, and has all words of the label. Where several cells
    fit, none is taken; where it has further words that are not common ones, they may ask for
    something else, and the answer is given with reserve.

    Args:
        question: The standalone question.
        index: The evidence.
    """
    stems = content_stems(question, question_language(question))
    found = {
        (claim.subject, claim.predicate, name_key(claim.object)): claim
        for sentences in index.sentences.values()
        for sentence in sentences
        for claim in _claims(sentence, question, stems)
    }
    if len({name_key(claim.object) for claim in found.values()}) != 1:
        return None
    claim = next(iter(found.values()))
    reserve = unstated(ASKED) if _asks_more(question, claim) else ""
    return Draft("graph_search", (claim.object,), hops=(claim,), reserve=reserve)


def _asks_more(question: str, claim: HopClaim) -> bool:
    """Return whether a question has words that are neither common nor of the row and the label."""
    language = question_language(question)
    told = content_stems(f"{claim.subject} {claim.predicate}", language)
    rest = content_stems(question, language) - told
    common = frozenset(map(stemmer_of(language), stop_words(language)))
    return bool(rest - common)


def _claims(sentence: Sentence, question: str, stems: frozenset[str]) -> Iterator[HopClaim]:
    """Yield what a row says of the cell that a question spells, under the label that it asks."""
    language = question_language(question)
    parts = labelled_parts(sentence.text)
    named = [part for part in parts if _is_spelled(part, sentence.text, question)]
    for part in parts if named else ():
        label = content_stems(part.label, language)
        if part not in named and label and label <= stems:
            subject, told = (cell_text(one, sentence.text) for one in (named[0], part))
            yield HopClaim(subject, part.label, told, sentence.chunk.id)


def _is_spelled(part: LabelledPart, text: str, question: str) -> bool:
    cell = cell_text(part, text)
    return len(name_key(cell)) > 1 and contains_answer(question, cell)
