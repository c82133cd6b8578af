"""Public sets of questions: over passages, then over graphs.

HotpotQA, 2WikiMultiHopQA, MuSiQue, MultiHop-RAG; MetaQA, WebQSP and CWQ in the form of RoG.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from hoptrail.core.errors import InputError
from hoptrail.core.types import JsonDict
from hoptrail.eval.datasets.origin import Example, Origin, Part, Passage, PublicSet
from hoptrail.eval.json_files import Fields, is_whole, open_binary
from hoptrail.eval.questions.graphs_file import Triple, graph_triples

_HOTPOTQA = Part(
    files=(
        "hotpot_{split}_distractor*.json",
        "hotpot_{split}*.json",
        "distractor/{hub_split}-*.parquet",
    ),
    hub=("hotpotqa/hotpot_qa", "distractor"),
)

_TWO_WIKI = Part(
    files=("{split}.json", "data/{split}.json", "data/{hub_split}-*.parquet"),
    hub=("ohjoonhee/2WikiMultihopQA", None),
)

_MUSIQUE = Part(
    files=("musique_ans_*{split}.jsonl", "data/musique_ans_*{split}.jsonl"),
    hub=("dgslibisey/MuSiQue", None),
)
_STEP_FIELDS = ("question", "answer", "paragraph_support_idx")

_HUB = "yixuantt/MultiHopRAG"
_MULTIHOP_RAG = Part(
    files=("MultiHopRAG.json", "dataset/MultiHopRAG.json"),
    hub=(_HUB, "MultiHopRAG"),
    is_whole=True,
)
_ARTICLES = Part(
    files=("corpus.json", "dataset/corpus.json"),
    hub=(_HUB, "corpus"),
    is_whole=True,
    is_main=False,
)

_METAQA = Part(files=("?-hop/vanilla/qa_{split}.txt", "vanilla/qa_{split}.txt", "qa_{split}.txt"))
_METAQA_GRAPH = Part(files=("kb.txt", "../kb.txt", "../../kb.txt"), is_whole=True, is_main=False)
_TOPIC = re.compile(r"\[([^\]]+)\]")
_HOPS = re.compile(r"([1-3])-?hop")

_ROG_FILES = (
    "data/{hub_split}-*.parquet",
    "{hub_split}-*.parquet",
    "{hub_split}.json*",
    "{split}.json*",
)


def read_hotpotqa(origin: Origin) -> PublicSet:
    """Read the questions of a split with the ten paragraphs of each."""
    return PublicSet(_hotpot_example(item, joiner="") for item in origin.records(_HOTPOTQA))


def read_two_wiki(origin: Origin) -> PublicSet:
    """Read the questions of a split with the ten paragraphs of each."""
    records = origin.records(_TWO_WIKI)
    return PublicSet(_hotpot_example(item, joiner=" ", extra=("evidences",)) for item in records)


def _hotpot_example(fields: Fields, *, joiner: str, extra: Sequence[str] = ()) -> Example | None:
    """Return a question with its `context` and `supporting_facts`; None if it has no answer.

    Args:
        fields: The question, with lists as in the authors' files or with the columns that the
            hub makes of them.
        joiner: What stands between the sentences of a paragraph.
        extra: Further fields to keep as they are.

    Raises:
        InputError: If a field is missing or has another form; names the place.
    """
    if fields.row.get("answer") == "":
        return None
    paragraphs: list[JsonDict] = [
        {
            "idx": place,
            "title": title,
            "sentences": sentences,
            "text": joiner.join(sentences).strip(),
        }
        for place, (title, sentences) in enumerate(_context(fields))
    ]
    facts = _supporting_facts(fields)
    question: JsonDict = {
        "id": fields.first_text(("_id", "id")) or fields.text("_id"),
        "question": fields.text("question"),
        "answer": fields.text("answer"),
        **{name: fields.row[name] for name in ("type", "level", *extra) if fields.row.get(name)},
        "supporting_facts": facts,
        **_support([title for title, _ in facts], paragraphs),
        "paragraphs": paragraphs,
    }
    return Example(question, tuple((item["title"], item["text"]) for item in paragraphs))


def _support(titles: Iterable[str], paragraphs: Sequence[JsonDict]) -> JsonDict:
    """Return the places of the supporting paragraphs, unless the context lacks some of them."""
    wanted = list(dict.fromkeys(titles))
    support: JsonDict = {"supporting_titles": wanted}
    if set(wanted) <= {item["title"] for item in paragraphs}:
        support["supporting_idx"] = [item["idx"] for item in paragraphs if item["title"] in wanted]
    return support


def _context(fields: Fields) -> Iterator[tuple[str, list[str]]]:
    for title, sentences in _pairs(fields, "context", "title", ("sentences", "content")):
        if not isinstance(sentences, list):
            raise fields.error("the field 'context' is no list of [title, sentences]")
        yield str(title).strip(), [str(sentence) for sentence in sentences]


def _supporting_facts(fields: Fields) -> list[tuple[str, int]]:
    pairs = list(_pairs(fields, "supporting_facts", "title", ("sent_id",)))
    if not all(is_whole(place) for _, place in pairs):
        raise fields.error("the field 'supporting_facts' is no list of [title, sentence]")
    return [(str(title).strip(), place) for title, place in pairs]


def _pairs(fields: Fields, name: str, left: str, right: Sequence[str]) -> list[tuple[Any, Any]]:
    """Return pairs from a list of pairs, or from two columns."""
    value = fields.row.get(name)
    if isinstance(value, dict):
        column = next((key for key in right if key in value), right[0])
        value = list(zip(value.get(left) or [], value.get(column) or [], strict=False))
    if not isinstance(value, list):
        raise fields.error(f"the field {name!r} is missing or no list", fields.suggest(name))
    if not all(isinstance(item, list | tuple) and len(item) == 2 for item in value):
        raise fields.error(f"the field {name!r} is no list of pairs")
    return [(item[0], item[1]) for item in value]


def read_musique(origin: Origin) -> PublicSet:
    """Read the questions of a split with the twenty paragraphs of each.

    Those of MuSiQue-Full that their own paragraphs cannot answer are left out: in a pooled corpus
    the paragraphs of their answerable twins stand beside them.
    """
    return PublicSet(_musique_example(item) for item in origin.records(_MUSIQUE))


def _musique_example(fields: Fields) -> Example | None:
    if fields.row.get("answerable") is False:
        return None
    paragraphs = [_paragraph(item) for item in fields.objects("paragraphs")]
    steps = [
        {name: item.row[name] for name in _STEP_FIELDS if item.row.get(name) is not None}
        for item in fields.objects("question_decomposition")
    ]
    name = fields.text("id")
    question: JsonDict = {
        "id": name,
        "question": fields.text("question"),
        "answer": fields.text("answer"),
        "answer_aliases": list(fields.texts("answer_aliases")),
        "hops": len(steps),
        "hop_type": name.partition("__")[0],
        "decomposition": steps,
        "supporting_idx": [item["idx"] for item in paragraphs if item["is_supporting"]],
        "paragraphs": paragraphs,
    }
    return Example(question, tuple((item["title"], item["text"]) for item in paragraphs))


def _paragraph(fields: Fields) -> JsonDict:
    place = fields.whole_number("idx")
    if place is None:
        raise fields.error("the field 'idx' of a paragraph is missing")
    return {
        "idx": place,
        "title": fields.optional_text("title") or "",
        "text": fields.text("paragraph_text"),
        "is_supporting": fields.row.get("is_supporting") is True,
    }


def read_multihop_rag(origin: Origin) -> PublicSet:
    """Read all questions, which are not split, and all articles."""
    return PublicSet(_distinct_examples(origin), passages=_articles(origin))


def _distinct_examples(origin: Origin) -> Iterator[Example | None]:
    seen: set[str] = set()
    for fields in origin.records(_MULTIHOP_RAG):
        example = _news_example(fields)
        is_new = example.question["id"] not in seen
        seen.add(example.question["id"])
        yield example if is_new else None


def _articles(origin: Origin) -> Iterator[Passage]:
    return ((item.text("title"), item.text("body")) for item in origin.records(_ARTICLES))


def _news_example(fields: Fields) -> Example:
    evidence = [
        {"title": item.text("title"), "fact": item.text("fact")}
        for item in fields.objects("evidence_list")
    ]
    question: JsonDict = {
        "question": fields.text("query"),
        "answer": fields.text("answer"),
        "question_type": fields.text("question_type"),
        "evidence": evidence,
        "supporting_titles": list(dict.fromkeys(item["title"] for item in evidence)),
    }
    # The set has no ids of its own.
    digest = sha256(json.dumps(question, sort_keys=True).encode()).hexdigest()
    return Example({"id": f"mhr-{digest[:12]}", **question})


def read_metaqa(origin: Origin) -> PublicSet:
    """Read the questions of every number of hops that is there, and the graph of all of them."""
    examples = (
        example for path in origin.files(_METAQA) for example in _metaqa_examples(path, origin)
    )
    triples = (triple for path in origin.files(_METAQA_GRAPH) for triple in _triples(path))
    return PublicSet(examples, triples=triples)


def _metaqa_examples(path: Path, origin: Origin) -> Iterator[Example]:
    types = _metaqa_types(path)
    named = _HOPS.findall(path.as_posix())
    hops = int(named[-1]) if named else None
    for number, line in _lines(path):
        fields = Fields(str(path), number, {})
        question, tab, answers = line.partition("\t")
        topic = _TOPIC.search(question)
        if not tab or not answers or topic is None:
            raise fields.error(
                "no line of MetaQA", "question with [topic], a tab, answers between |"
            )
        row: JsonDict = {
            "id": f"metaqa-{f'{hops}hop-' if hops else ''}{origin.split}-{number}",
            "question": _TOPIC.sub(r"\1", question).strip(),
            "topic_entity": topic[1],
            "answers": answers.split("|"),
        }
        if types:
            row["qtype"] = _type_of(fields, types)
            row["hops"] = row["qtype"].count("_to_")
        elif hops:
            row["hops"] = hops
        yield Example(row)


def _metaqa_types(path: Path) -> list[str]:
    """Return the types of a file's questions by line, none where their file is not there."""
    name = path.name.replace(".txt", "_qtype.txt")
    beside = [path.with_name(name), path.parent.parent / name]
    found = next((place for place in beside if place.is_file()), None)
    return [] if found is None else [line.strip() for _, line in _lines(found)]


def _type_of(fields: Fields, types: list[str]) -> str:
    line = fields.line or 0
    if line > len(types):
        raise fields.error(f"the file of question types has {len(types)} lines only")
    return types[line - 1]


def _triples(path: Path) -> Iterator[Triple]:
    for number, line in _lines(path):
        parts = line.split("|")
        if len(parts) != 3 or not all(parts):
            raise InputError("not head|relation|tail", path=str(path), line=number)
        yield parts[0], parts[1], parts[2]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    with open_binary(path) as stream:
        for number, raw in enumerate(stream, start=1):
            try:
                line = raw.decode("utf-8-sig").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise InputError("not text in UTF-8", path=str(path), line=number) from error
            if line.strip():
                yield number, line


def read_rog(name: str) -> Callable[[Origin], PublicSet]:
    """Return what reads a set that RoG published under this name."""
    questions = Part(files=_ROG_FILES, hub=(f"rmanluo/{name}", None))
    return lambda origin: PublicSet(_rog_example(item) for item in origin.records(questions))


def _rog_example(fields: Fields) -> Example | None:
    answers = fields.texts("answer")
    if fields.row.get("answer") == []:
        return None
    name = fields.text("id")
    question: JsonDict = {
        "id": name,
        "index": name,
        "question": fields.text("question"),
        "answers": list(answers) or [fields.text("answer")],
        "topic_entities": list(fields.texts("q_entity")),
    }
    return Example(question, graph=graph_triples(fields))
