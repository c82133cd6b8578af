"""What `make evaluate` runs: question sets over their corpora, and the systems to measure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Corpus:
    """A corpus to index; `arguments` of `hoptrail index`, files below the data folder as `@`."""

    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class QuestionSet:
    """Questions over a corpus; `questions` is their file below the data folder."""

    name: str
    title: str
    description: str
    questions: str
    corpus: Corpus


@dataclass(frozen=True)
class Configuration:
    """A system to measure; `arguments` of `hoptrail eval`."""

    name: str
    arguments: tuple[str, ...]


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

QUESTION_SETS = (
    QuestionSet(
        "musique-train100",
        "MuSiQue",
        "100 training questions of 2 to 4 hops over 1,890 passages, with 17,234 triples that were "
        "extracted from them by a language model.",
        "musique/train100.jsonl",
        MUSIQUE,
    ),
    QuestionSet(
        "hotpotqa-train100",
        "HotpotQA, training questions",
        "100 bridge and comparison questions over 3,930 passages, relations extracted by rules.",
        "hotpotqa/train100.jsonl",
        HOTPOTQA,
    ),
    QuestionSet(
        "hotpotqa-dev98",
        "HotpotQA, development questions",
        "98 bridge and comparison questions over the same 3,930 passages.",
        "hotpotqa/dev98.jsonl",
        HOTPOTQA,
    ),
    QuestionSet(
        "2wiki-dev",
        "2WikiMultiHopQA",
        "63 development questions over their own passages, relations extracted by rules.",
        "2wiki/dev.jsonl",
        WIKI,
    ),
)

RETRIEVERS = (
    "bm25",
    "vector",
    "ket",
    "ppr",
    "lightrag",
    "pathrag",
    "multistage",
    "dagr",
    "dot",
)
PRESETS = ("reasoning", "dagr", "dotrag")

CONFIGURATIONS = (
    *(Configuration(name, ("--retriever", name)) for name in RETRIEVERS),
    *(
        Configuration(f"{name}-oracle", ("--preset", name, "--reader", "oracle"))
        for name in PRESETS
    ),
)
