"""Feedback in `chat`: on the last answer, and the answer that is saved for its question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hoptrail.cli.output import tell, warn

if TYPE_CHECKING:
    from hoptrail.api import Hoptrail
    from hoptrail.core.types import Answer, Feedback


def say_good(hoptrail: Hoptrail, answer: Answer, thread: str, comment: str) -> None:
    """Keep that an answer is good."""
    said: dict[str, Any] = {"verdict": "good", "correction": ""}
    _keep(hoptrail, answer, thread, said | ({"comment": comment} if comment else {}))
    tell("kept: the answer is good; hoptrail eval --from-feedback asks the question again")


def say_bad(hoptrail: Hoptrail, answer: Answer, thread: str, correction: str) -> None:
    """Keep that an answer is bad, and the right one where it is given."""
    said: dict[str, Any] = {"verdict": "bad"}
    _keep(hoptrail, answer, thread, said | ({"correction": correction} if correction else {}))
    if correction:
        tell(f"kept: the right answer is {correction}; /save gives it to the question from now on")
    else:
        tell("kept: the answer is bad; /bad TEXT also tells the right one")


def say_comment(hoptrail: Hoptrail, answer: Answer, thread: str, comment: str) -> None:
    """Keep a comment on an answer."""
    if not comment:
        warn("say what: /comment TEXT")
        return
    _keep(hoptrail, answer, thread, {"comment": comment})
    tell("kept the comment")


def save(hoptrail: Hoptrail, answer: Answer, thread: str, text: str) -> None:
    """Save an answer for its question: the text, else the correction, else the answer itself."""
    known = _known(hoptrail, answer, thread)
    words = text or (known.correction if known is not None else "") or None
    saved = hoptrail.save_answer(answer, words)
    if saved.corrected and not saved.stated:
        warn(
            "no passage with these words was found: it stands as long as the old answer's documents"
        )
    elif saved.stated:
        tell(f"stated in {', '.join(saved.documents)}")
    tell(f"saved for {saved.question!r}: {saved.text}; /unsave takes it back")


def unsave(hoptrail: Hoptrail, answer: Answer, thread: str, text: str) -> None:
    """Delete the answer that is saved for the question of an answer."""
    found = hoptrail.saved_answer(answer.standalone_question or answer.question)
    if found is None:
        tell("no answer is saved")
        return
    hoptrail.delete_saved_answer(found[0].id)
    tell("the question is answered from the documents again")


def _known(hoptrail: Hoptrail, answer: Answer, thread: str) -> Feedback | None:
    told = (answer.question, answer.text)
    said = hoptrail.feedback_of_thread(thread)
    return next((one for one in said if (one.answer.question, one.answer.text) == told), None)


def _keep(hoptrail: Hoptrail, answer: Answer, thread: str, said: dict[str, Any]) -> None:
    """Keep what is said together with what was said of the same answer before."""
    known = _known(hoptrail, answer, thread)
    before: dict[str, Any] = {}
    if known is not None:
        before = {name: getattr(known, name) for name in ("verdict", "correction", "comment")}
    hoptrail.feedback(answer, thread_id=thread, **(before | said))
