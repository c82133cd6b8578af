"""`run_graph_training`: a graph language model trained on questions with gold answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from hoptrail.core.errors import InputError, SettingsError
from hoptrail.core.optional import require
from hoptrail.core.progress import NoProgress, Progress
from hoptrail.core.settings import Settings, load_settings
from hoptrail.core.types import JsonDict
from hoptrail.eval.graph_llm.evaluation import GraphAnswerScore
from hoptrail.eval.graph_llm.sources import GraphSource, OneBase, OwnGraphs, Retrieving
from hoptrail.eval.json_files import JsonlLog, make_folder, write_object
from hoptrail.eval.questions.question import Question
from hoptrail.eval.questions.reader import load_questions
from hoptrail.models.embedder import load_embedder
from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.example import GraphExample, answers_in_graph, graph_of_evidence
from hoptrail.models.graph_llm.training.options import TrainingOptions
from hoptrail.stores.records.stored_embedders import SharedEmbeddings

if TYPE_CHECKING:
    from hoptrail.models.graph_llm.model import GraphLlama
    from hoptrail.models.graph_llm.training.forecast import Forecast
    from hoptrail.models.graph_llm.training.run import Row

_HELD_OUT = 10
_SUMMARY = "summary.json"

_DIGITS = 16

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """Questions and where their subgraphs come from: a file of graphs, or a knowledge base."""

    questions: Path
    graphs: Path | None = None
    knowledge_base: str | None = None
    retrieving: Retrieving = field(default_factory=Retrieving)
    limit: int | None = None

    def source(self, cache: Path, settings: Settings) -> GraphSource:
        """Return what finds the subgraphs.

        Args:
            cache: Keeps indexed graphs.
            settings: Name the embedder and the known knowledge bases.

        Raises:
            SettingsError: If not exactly one of `graphs` and `knowledge_base` is given.
        """
        if self.graphs is not None and self.knowledge_base is None:
            folder = cache / "bases"
            return OwnGraphs(self.graphs, self.questions, folder, self.retrieving, settings)
        if self.knowledge_base is not None and self.graphs is None:
            return OneBase(self.knowledge_base, self.retrieving, settings)
        raise SettingsError("give either a file of graphs or a knowledge base")


@dataclass(frozen=True, slots=True)
class GraphTraining:
    """A training run: its data, its model, its course.

    Attributes:
        training: What is learned from.
        validation: What the best checkpoint is chosen on; None holds a tenth of `training` out.
        out: Folder of the run.
        cache: Folder of subgraphs and vectors, which other runs use too.
        config: What is built around the base model.
        options: The choices of the training.
        base: Name of the base model.
        device: A torch device.
        dtype: Number format of the base model.
        init: Checkpoint to start from, in place of new weights and `config`.
    """

    training: QuestionFile
    out: Path
    cache: Path
    validation: QuestionFile | None = None
    config: GraphLlamaConfig = field(default_factory=GraphLlamaConfig)
    options: TrainingOptions = field(default_factory=TrainingOptions)
    base: str = "smollm2-135m"
    device: str = "cpu"
    dtype: str = "auto"
    init: Path | None = None


def run_graph_training(
    run: GraphTraining,
    *,
    progress: Progress | None = None,
    report: Callable[[Row], None] | None = None,
    announce: Callable[[Forecast], None] | None = None,
) -> JsonDict:
    """Train a graph language model; the same call again continues a run that was stopped.

    Args:
        run: What to train, on what.
        progress: Told of what is done.
        report: Called with the figures of each validation.
        announce: Called before the first step with what all of them will take.

    Returns:
        The summary, which `out` gets as `summary.json` beside the checkpoint and the curves.
        Examples whose graph holds no answer are not learned from; `left_out` counts them.

    Raises:
        InputError: If the questions or graphs cannot be used.
        SettingsError: If an option cannot be used.
        CheckpointError: If `out` holds another run.
        MissingExtraError: If the extra `graph-llm` is not installed.
    """
    require("torch_geometric", extra="graph-llm", purpose="training a graph language model")
    from hoptrail.models.graph_llm.training.trainer import train, trainable_parameters

    make_folder(run.out)
    make_folder(run.cache)
    settings = load_settings()
    learned, held_out = _questions(run)
    # Before the subgraphs, which may take long to find.
    model = build_model(run, settings)
    trainable_parameters(model)
    examples = load_examples(run.training, learned, run.cache, settings, progress)
    validated = run.validation or run.training
    validation = load_examples(validated, held_out, run.cache, settings, progress)
    # An answer that is not in the graph only teaches to guess.
    usable = [item for item in examples if answers_in_graph(item.answers, item.graph)]
    summary = train(
        model,
        usable,
        validation,
        run.out,
        run.options,
        score=GraphAnswerScore(held_out),
        progress=progress,
        report=report,
        announce=announce,
    )
    figures = {
        "examples": len(usable),
        "left_out": len(examples) - len(usable),
        "validation": len(validation),
        **summary.to_json(),
    }
    write_object(run.out / _SUMMARY, figures)
    return figures


def load_examples(
    file: QuestionFile,
    questions: Sequence[Question],
    cache: Path,
    settings: Settings,
    progress: Progress | None = None,
) -> list[GraphExample]:
    """Return questions of a file with their subgraphs; see `graph_examples`."""
    return graph_examples(questions, file.source(cache, settings), cache, progress=progress)


def build_model(run: GraphTraining, settings: Settings) -> GraphLlama:
    """Return the model before its first step, the same one for the same seed.

    Raises:
        SettingsError: If the base model or the embedder is not found.
        CheckpointError: If `init` names no checkpoint, or one of another base model.
    """
    import torch

    from hoptrail.models.graph_llm.base_model import load_base_model
    from hoptrail.models.graph_llm.checkpoint import load_checkpoint
    from hoptrail.models.graph_llm.model import GraphLlama

    embedder = SharedEmbeddings(load_embedder(settings.embedder), run.cache / "vectors.sqlite")
    base = load_base_model(run.base, dtype=run.dtype, device=run.device)
    if run.init is not None:
        return load_checkpoint(run.init, base=base, embedder=embedder)
    torch.manual_seed(run.options.seed)
    return GraphLlama(base, run.config, embedder)


def _questions(run: GraphTraining) -> tuple[list[Question], list[Question]]:
    """Return the questions to learn from and those to validate on."""
    questions = load_answerable(run.training.questions, run.training.limit)
    if run.validation is not None:
        return questions, load_answerable(run.validation.questions, run.validation.limit)
    if len(questions) < 2:
        raise InputError(
            "a single question cannot be split",
            path=str(run.training.questions),
            hint="give more questions, or --validation",
        )
    held_out = questions[_HELD_OUT - 1 :: _HELD_OUT] or questions[-1:]
    ids = {question.id for question in held_out}
    return [question for question in questions if question.id not in ids], held_out


def load_answerable(path: Path, limit: int | None = None) -> list[Question]:
    """Return the first questions of a file that have an answer to learn, in its order.

    Raises:
        InputError: If the file cannot be used; names the line.
    """
    questions = [
        question
        for question in load_questions(path)
        if not question.is_open and not question.is_unanswerable
    ]
    return questions[:limit]


def graph_examples(
    questions: Sequence[Question],
    source: GraphSource,
    cache: Path,
    *,
    progress: Progress | None = None,
) -> list[GraphExample]:
    """Return an example per question; subgraphs found before come from the cache.

    Every subgraph is kept as soon as it is found, so that stopped work goes on from there. Where
    several processes need the same ones, the first finds them and the others wait.

    Args:
        questions: With gold answers.
        source: Finds the subgraphs.
        cache: Folder of `examples-<hash>.jsonl`, one file for all that subgraphs depend on.
        progress: Told of the questions that are done.

    Raises:
        InputError: If a question has no graph, or the cached file is damaged.
    """
    log = JsonlLog(cache / f"examples-{_digest(source.identity())}.jsonl")
    known = _known(log)
    if _missing(questions, known):
        make_folder(cache)
        with FileLock(log.path.with_suffix(".lock")):
            known = _found(questions, source, log, progress or NoProgress())
    # Their gold may have been corrected since.
    return [replace(known[_key(item)], answers=item.accepted) for item in questions]


def _found(
    questions: Sequence[Question],
    source: GraphSource,
    log: JsonlLog,
    progress: Progress,
) -> dict[_Key, GraphExample]:
    """Return the cached examples after those of the questions were added."""
    known = _known(log)
    # A last line that was cut off would spoil the next.
    log.replace(example.to_json() for example in known.values())
    missing = _missing(questions, known)
    progress.start("retrieve", len(missing))
    for question, evidence in zip(missing, source.find(missing), strict=True):
        graph = graph_of_evidence(evidence)
        example = GraphExample(question.id, question.text, question.accepted, graph)
        log.append(example.to_json())
        known[_key(question)] = example
        progress.advance("retrieve")
    progress.finish("retrieve")
    return known


def _known(log: JsonlLog) -> dict[_Key, GraphExample]:
    examples = map(GraphExample.from_json, log.read())
    return {(example.id, example.question): example for example in examples}


def _missing(questions: Sequence[Question], known: Container[_Key]) -> list[Question]:
    return [question for question in questions if _key(question) not in known]


def _key(question: Question) -> _Key:
    return (question.id, question.text)


def _digest(identity: object) -> str:
    text = json.dumps(identity, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
