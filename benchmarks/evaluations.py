"""The runs of `make evaluate`: question sets over their corpora, and the systems to measure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Corpus:
    """A corpus to index; `arguments` of `hoptrail index`, files below the data folder as `@`.

    Without any the evaluation itself indexes what it is given with each question.
    """

    name: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Configuration:
    """A system to measure; `arguments` of `hoptrail eval`."""

    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class QuestionSet:
    """Questions over a corpus, or each over a graph of its own.

    `questions` and `graphs` are files below the data folder.
    """

    name: str
    title: str
    description: str
    questions: str
    corpus: Corpus
    systems: tuple[Configuration, ...]
    graphs: str | None = None


MUSIQUE = Corpus(
    "musique",
    (
        "@musique/train100_corpus.jsonl",
        "--triples",
        "@musique/train100_openie.jsonl",
        "--extractor",
        "none",
    ),
)
HOTPOTQA = Corpus("hotpotqa", ("@hotpotqa/corpus.jsonl", "--extractor", "nlp"))
WIKI = Corpus("2wiki", ("@2wiki/dev_corpus.jsonl", "--extractor", "nlp"))
WEBQSP = Corpus("webqsp")

_LEARNED_ON = (
    "The weights of `setwise` were learned on these questions too; "
    "[figures.md](figures.md) has it with weights of the other sets."
)

RETRIEVERS = (
    "bm25",
    "vector",
    "ket",
    "ppr",
    "setwise",
    "lightrag",
    "pathrag",
    "multistage",
    "dagr",
    "dot",
)
PRESETS = ("auto", "reasoning", "dagr", "dotrag")

OVER_TEXT = (
    *(Configuration(name, ("--retriever", name)) for name in RETRIEVERS),
    *(
        Configuration(f"{name}-oracle", ("--preset", name, "--reader", "oracle"))
        for name in PRESETS
    ),
)
OVER_GRAPHS = (
    *(
        Configuration(name, ("--retriever", name))
        for name in ("multistage", "dagr", "dot", "relation_path")
    ),
    Configuration("dagr-60-edges", ("--retriever", "dagr", "--set", "parameters.edges=60")),
)

QUESTION_SETS = (
    QuestionSet(
        "musique-train100",
        "MuSiQue",
        "100 training questions of 2 to 4 hops over 1,890 passages, with 17,234 triples that were "
        "extracted from them by a language model. " + _LEARNED_ON,
        "musique/train100.jsonl",
        MUSIQUE,
        OVER_TEXT,
    ),
    QuestionSet(
        "hotpotqa-train100",
        "HotpotQA, training questions",
        "100 bridge and comparison questions over 3,930 passages, relations extracted by rules.",
        "hotpotqa/train100.jsonl",
        HOTPOTQA,
        OVER_TEXT,
    ),
    QuestionSet(
        "hotpotqa-dev98",
        "HotpotQA, development questions",
        "98 bridge and comparison questions over the same 3,930 passages.",
        "hotpotqa/dev98.jsonl",
        HOTPOTQA,
        OVER_TEXT,
    ),
    QuestionSet(
        "2wiki-dev",
        "2WikiMultiHopQA",
        "63 development questions over their own passages, relations extracted by rules. "
        + _LEARNED_ON,
        "2wiki/dev.jsonl",
        WIKI,
        OVER_TEXT,
    ),
    QuestionSet(
        "webqsp-validation",
        "WebQSP",
        "246 validation questions, each over its own part of Freebase; 222 of these hold an "
        "answer. The topic entity is not given, and no language model is used. The scorers of "
        "edges and paths (`multistage`, `dagr`, `relation_path`) were trained on WebQSP's training "
        "questions.",
        "webqsp/questions_validation.jsonl",
        WEBQSP,
        OVER_GRAPHS,
        "webqsp/graphs_validation.jsonl.gz",
    ),
)
