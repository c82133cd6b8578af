"""Answer from the graph alone, without any language model (preset `offline`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hoptrail.agents.evidence.evidence_index import EvidenceIndex
from hoptrail.agents.language.assertion import spelled_out
from hoptrail.agents.language.first_names import full_name
from hoptrail.agents.language.reserves import is_of_other_thing
from hoptrail.agents.language.text_similarity import TextSimilarity
from hoptrail.agents.offline.answerers import (
    ANSWERERS,
    ANSWERERS_IN_ANY_LANGUAGE,
    Answerer,
)
from hoptrail.agents.offline.evidence_view import EvidenceView
from hoptrail.agents.offline.fact_chains import abstain
from hoptrail.agents.offline.newer_text import answer_from_newest
from hoptrail.agents.offline.role_holder import answer_for_holder
from hoptrail.agents.offline.set_beside import with_those_beside
from hoptrail.agents.reading.passage_reading import answer_or_read
from hoptrail.agents.tables.asked import read_asked
from hoptrail.agents.verification.verifier import verify
from hoptrail.core.language.detection import is_english
from hoptrail.core.names import part_handles
from hoptrail.core.tables.prose_tables import tables_of_prose
from hoptrail.core.tables.table import Table
from hoptrail.core.types import Evidence, QuestionType
from hoptrail.core.types.draft import Draft
from hoptrail.models.passage_reader import PassageReader


def search_answer(
    question: str,
    question_type: QuestionType,
    evidence: Evidence,
    similarity: TextSimilarity | None = None,
    tables: Sequence[Table] = (),
    reader: PassageReader | None = None,
) -> Draft:
    """Return what the first answerer makes of the evidence that has anything to say.

    Where none finds an answer, or the evidence does not know what the question names, the draft
    abstains and says why. Of texts that take each other's place, the newest that tells is the one
    that answers. A question in another language than English is answered from rows and labels
    alone, for the rules know no other grammar.

    Args:
        question: The standalone question.
        question_type: As routed.
        evidence: What was retrieved; relations with the passages behind them.
        similarity: Compares wordings by meaning as well.
        tables: Those that passages of the evidence tell rows of, as wholes.
        reader: Looks for words that answer where nothing else does, or is surer of others.
    """
    if evidence.is_empty:
        return abstain("no_evidence")

    compares = read_asked(question).operation in {"most", "least", "choice"}

    def answer(texts: Evidence) -> Draft:
        known = {hit.item.doc_id for hit in texts.chunks}
        own = [table for table in tables if table.doc_id in known]
        passages = (hit.item for hit in texts.chunks)
        own += tables_of_prose(passages, with_sentences=compares)
        search = _Search(texts, question_type, similarity, own)
        draft = search.answer_in_any_wording(question)
        if reader is None or not is_english(question):
            return draft
        return answer_or_read(draft, question, search.index, search.similarity, reader)

    return answer_from_newest(question, evidence, answer)


class _Search(EvidenceView):
    """Looks answers up in some evidence, which is laid out once for several wordings."""

    def answer_in_any_wording(self, question: str) -> Draft:
        """Return the answer to a question, else to one that names its things as the texts do."""
        if not is_english(question):
            return self._answer(question, ANSWERERS_IN_ANY_LANGUAGE)
        question = part_handles(spelled_out(question), self.index.entity_id)
        draft = self._answer(question)
        if draft.abstained:
            draft = answer_for_holder(question, self.index, self._answer) or draft
        draft = with_those_beside(draft, question, self.index)
        return _with_full_names(draft, self.index)

    def _answer(self, question: str, answerers: Sequence[Answerer] | None = None) -> Draft:
        drafts = (answerer(question, self) for answerer in answerers or ANSWERERS)
        return next((draft for draft in drafts if draft is not None), abstain("no_evidence"))

    def answer_part(self, question: str) -> Draft | None:
        """Return the answer to a part of the question with its reserve, None without one.

        What may be about another thing is no part of a comparison.
        """
        draft = self._answer(question)
        if draft.abstained:
            return None
        verdict = verify(draft, question, "bridge", self.evidence)
        is_fit = verdict.verified and not is_of_other_thing(verdict.reserve or "")
        return replace(draft, reserve=verdict.reserve or "") if is_fit else None


def _with_full_names(draft: Draft, index: EvidenceIndex) -> Draft:
    """Return a draft in which persons have the full name that their passage gives them."""
    full: dict[str, str] = {}
    for hop in draft.hops:
        chunk = index.chunks.get(hop.chunk_id or "")
        for end in (hop.subject, hop.object):
            if chunk is not None and (name := full_name(end, chunk.text)):
                full[end] = name
    if not full:
        return draft
    hops = (
        replace(
            hop,
            subject=full.get(hop.subject, hop.subject),
            object=full.get(hop.object, hop.object),
        )
        for hop in draft.hops
    )
    answers = dict.fromkeys(full.get(answer, answer) for answer in draft.answers)
    return replace(draft, hops=tuple(hops), answers=tuple(answers))
