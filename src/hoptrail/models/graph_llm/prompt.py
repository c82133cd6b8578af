"""The prompt of a graph language model: the subgraph as text, then the question."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from transformers.tokenization_utils_base import PreTrainedTokenizerBase

from hoptrail.core.errors import InputError
from hoptrail.core.names import is_unnamed, predicate_words
from hoptrail.models.graph_llm.base_model import BaseModel
from hoptrail.models.graph_llm.config import PlaceKind
from hoptrail.models.graph_llm.graph_input import GraphInput

TASK = "Reply with the names that answer the question, and nothing else."
LEAD = "Answer:"  # the reply's first word is given, else a chat model begins with a sentence
_HEADING = 8  # tokens that facts add to a prompt beside their own
_GRAPH_AT = 1


@dataclass(frozen=True, slots=True)
class PromptIds:
    """A tokenised prompt.

    Attributes:
        ids: Token ids, from the first token of the chat template to the last before the reply.
        graph_at: Position at which graph tokens are inserted.
    """

    ids: tuple[int, ...]
    graph_at: int = _GRAPH_AT

    @property
    def before_graph(self) -> tuple[int, ...]:
        """Token ids before the graph tokens."""
        return self.ids[: self.graph_at]


def question_prompt(
    base: BaseModel,
    question: str,
    graph: GraphInput | None,
    *,
    triples: int,
    room: int,
    place: PlaceKind = "start",
) -> PromptIds:
    """Return the prompt that asks a question about a subgraph.

    The text form is cut by whole triples, to so many and to what the context window leaves.

    Args:
        base: Its chat template and tokenizer are used.
        question: The question.
        graph: The subgraph; None for none.
        triples: Most triples of the text form; 0 for none.
        room: Tokens that the prompt may have.
        place: Where the graph tokens will stand.

    Raises:
        InputError: If the question alone is too long.
    """
    lead = base.token_ids(LEAD)
    bare = chat_ids(base, _messages(base.as_data(question), ""))
    needed = len(bare) + len(lead)
    if needed > room:
        raise InputError(
            f"the question has {needed} tokens with its prompt; the model takes {room}",
            hint="ask a shorter question",
        )
    ids = bare
    if graph is not None and triples:
        best = GraphInput(graph.nodes, graph.edges[:triples])
        facts = text_form(best, lambda text: len(base.token_ids(text)), room - needed - _HEADING)
        if facts:
            ids = chat_ids(base, _messages(base.as_data(question), base.as_data(facts)))
    return PromptIds((*ids, *lead), _GRAPH_AT if place == "start" else _end(base, ids))


def _end(base: BaseModel, ids: Sequence[int]) -> int:
    """Return the place in a prompt's ids for a turn before the reply; see `turn_frame`."""
    head = _reply_head(base)
    begins_a_turn = list(head[:1]) == list(ids[:1])
    return len(ids) - len(head) + begins_a_turn


def _reply_head(base: BaseModel) -> list[int]:
    """Return the ids by which the chat template begins a reply; often none."""
    if base.tokenizer.chat_template is None:
        return []
    messages = [{"role": "user", "content": "one"}]
    asked = _written(base, messages, begin_reply=False)
    return base.token_ids(_written(base, messages).removeprefix(asked))


@dataclass(frozen=True, slots=True)
class Frame:
    """The texts around a name that make it a turn of its own after the first token of a prompt.

    Attributes:
        before: Token ids up to the name: a user's header and the lead.
        after: Token ids that end the turn and begin the next one.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]


def turn_frame(base: BaseModel) -> Frame:
    """Return the frame of a turn in the chat template of the model."""
    lead = tuple(base.token_ids(LEAD))
    line = tuple(base.token_ids("\n"))
    if base.tokenizer.chat_template is None:
        return Frame(lead, line)
    said, asked = "one", "two"
    spoken: list[dict[str, str]] = [{"role": "system", "content": said}]
    if not _takes_system(base):
        spoken = [{"role": "user", "content": ""}, {"role": "assistant", "content": said}]
    written = _written(base, [*spoken, {"role": "user", "content": asked}])
    between = base.token_ids(written.partition(said)[2].partition(asked)[0])
    first = base.token_ids(written)[0]
    end = between.index(first) + 1 if first in between else 1
    return Frame((*between[end:], *lead), tuple(between[:end]))


def messages_prompt(
    base: BaseModel, messages: Sequence[Mapping[str, str]], *, room: int
) -> PromptIds:
    """Return the prompt of a conversation without a graph.

    Args:
        base: Its chat template and tokenizer are used.
        messages: Each with `role` and `content`.
        room: Tokens that the prompt may have.

    Raises:
        InputError: If it is too long, or the template refuses it.
    """
    ids = chat_ids(base, messages)
    if len(ids) > room:
        raise InputError(
            f"the prompt has {len(ids)} tokens; the model takes {room}", hint="send less text"
        )
    return PromptIds(tuple(ids))


def chat_ids(base: BaseModel, messages: Sequence[Mapping[str, str]]) -> list[int]:
    """Return messages in the chat template of the model, ready for its reply.

    A model without a template reads the contents, line by line.

    Raises:
        InputError: If the template refuses the messages.
    """
    tokenizer: PreTrainedTokenizerBase = base.tokenizer
    if tokenizer.chat_template is None:
        text = "\n".join(message["content"] for message in messages) + "\n"
        return [*_beginning(tokenizer), *base.token_ids(text)]
    return base.token_ids(_written(base, messages))


def _written(
    base: BaseModel, messages: Sequence[Mapping[str, str]], *, begin_reply: bool = True
) -> str:
    """Return messages as text; what the system says begins the user's turn where it has none."""
    spoken = [dict(message) for message in messages]
    try:
        return _rendered(base, spoken, begin_reply)
    except Exception as error:  # a template may raise what it likes
        if _begins_by_system(spoken) and not _takes_system(base):
            return _written(base, _folded(spoken), begin_reply=begin_reply)
        raise InputError(
            f"the model's chat template refuses these messages: {error}",
            hint="send a system message first, then user and assistant in turn",
        ) from error


def _rendered(base: BaseModel, messages: list[dict[str, str]], begin_reply: bool) -> str:
    return str(
        base.tokenizer.apply_chat_template(
            messages,
            tokenize=False,
            add_generation_prompt=begin_reply,
            enable_thinking=False,  # a model that reasons first would leave no room for the reply
        )
    )


def _takes_system(base: BaseModel) -> bool:
    """Return whether the chat template has a turn of the system; Gemma's and others' have none."""
    messages = [{"role": "system", "content": "one"}, {"role": "user", "content": "two"}]
    try:
        _rendered(base, messages, True)
    except Exception:
        return False
    return True


def _begins_by_system(messages: Sequence[Mapping[str, str]]) -> bool:
    roles = [message["role"] for message in messages[:2]]
    return roles == ["system", "user"]


def _folded(messages: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return messages with what the system says at the beginning of the user's first turn."""
    system, user, *others = [dict(message) for message in messages]
    return [{**user, "content": f"{system['content']}\n\n{user['content']}"}, *others]


def _messages(question: str, facts: str) -> list[dict[str, str]]:
    asked = f"Question: {question}"
    return [
        {"role": "system", "content": TASK},
        {"role": "user", "content": f"{facts}\n{asked}" if facts else asked},
    ]


def _beginning(tokenizer: PreTrainedTokenizerBase) -> list[int]:
    token = tokenizer.bos_token_id
    return [int(token)] if isinstance(token, int) else []


def text_form(graph: GraphInput, tokens: Callable[[str], int], budget: int) -> str:
    """Return the best triples that fit, one `head | predicate | tail` a line, best first.

    Triples are left out whole: those that would not even fit alone, and all from the first one on
    that the others leave no room for. A node without a name is written as its number, of a dotted
    predicate the last part, which tells most of it.

    Args:
        graph: The subgraph, edges best first.
        tokens: Number of tokens of a text for the model that reads it.
        budget: Most tokens.

    Source: "Graph-augmented LLaMA", step 3f.
    """
    kept: list[str] = []
    left = budget
    for line in _lines(graph):
        needed = tokens(f"{line}\n")
        if needed > budget:
            continue
        if needed > left:
            break
        kept.append(line)
        left -= needed
    # A tokenizer may need more for the whole than for its lines.
    while kept and tokens("\n".join(kept)) > budget:
        kept.pop()
    return "\n".join(kept)


def _lines(graph: GraphInput) -> Iterator[str]:
    for source, predicate, target in graph.edges:
        head, tail = (_readable(graph.nodes[number], number) for number in (source, target))
        yield f"{head} | {_short(predicate)} | {tail}"


def _short(predicate: str) -> str:
    """Return a predicate's words; of a dotted one (`people.person.parents`) the last part's."""
    last = "" if " " in predicate else predicate.rpartition(".")[2]
    return predicate_words(last or predicate)


def _readable(name: str, number: int) -> str:
    return f"#{number}" if is_unnamed(name) else " ".join(name.split())
