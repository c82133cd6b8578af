"""Presets: published methods and baselines as choices of the one state machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, get_args

from hoptrail.core.errors import UnknownNameError
from hoptrail.core.plugins import PRESET_GROUP, Registry
from hoptrail.core.settings import Role
from hoptrail.core.types import QuestionType, Strategy
from hoptrail.graphs.context import Context, offer_choices

Search = Literal["once", "by_keyword", "by_sub_question", "by_path", "by_query", "by_table"]
QUESTION_TYPES: tuple[QuestionType, ...] = get_args(QuestionType)
REPORT_STRATEGIES: frozenset[str] = frozenset({"map_reduce", "extractive"})
"""Strategies that answer from community reports; they read nothing else."""
WITHOUT_MODEL = "offline"
"""Name of the preset that calls no model."""
TABLES = "tables"
"""Name of the preset that asks tables."""
Course = tuple[str, ...]
"""Presets to try in turn: the next one where the trail of the one before does not verify."""


def _strategies(
    bridge: Strategy,
    comparison: Strategy,
    inference: Strategy,
    whole: Strategy | None = None,
) -> Mapping[QuestionType, Strategy]:
    return MappingProxyType(
        {
            "bridge": bridge,
            "comparison": comparison,
            "inference": inference,
            "global": whole or inference,
        }
    )


def _courses(course: Course, *, whole: Course) -> Mapping[QuestionType, Course]:
    return MappingProxyType({**dict.fromkeys(QUESTION_TYPES, course), "global": whole})


def _always(strategy: Strategy) -> Mapping[QuestionType, Strategy]:
    return _strategies(strategy, strategy, strategy)


@dataclass(frozen=True, slots=True)
class Preset:
    """One configuration.

    `retriever` is None where nothing is read, and `graph_retriever` takes its place on a graph
    without passages. `strategies` is the prompt by question type (that for `global` holds where
    there are community reports), `alternatives` the retry after an abstention and `rounds` the
    number of targeted retrievals after that: without a model they cost little. Where a preset
    `grows`, a prompt shows passages alone, and each of its rounds is a call that reads what is
    established and new passages for what is open. `search` is how evidence is gathered: at once, by
    keywords of two levels, sub-question by sub-question, along paths that are judged, by one query
    in the language of the server, or by one over the tables of documents. `choices` are context
    fields that the preset sets where a request does not. `does` says in a few words what it does,
    `choose_for` when to take it, and `mean_calls` what model calls a question took in the mean, the
    lowest and the highest of the question sets of docs/results.md, where it was measured. `courses`
    are the presets that do the work by question type, on a text corpus, in `small_courses` with a
    small model, and in `graph_courses` on a bare graph; without any the preset does it itself.
    `passages` is the most passages that a prompt shows, and those alone. `graph_llm_roles` are
    those that the graph LLM plays where one is set and neither request nor settings name another.
    """

    name: str
    retriever: str | None
    compress: bool
    needs_model: bool
    strategies: Mapping[QuestionType, Strategy]
    alternatives: Mapping[Strategy, Strategy] = field(default_factory=dict)
    rounds: int = 1
    graph_retriever: str | None = None
    grows: bool = False
    search: Search = "once"
    passages: int | None = None
    choices: Mapping[str, Any] = field(default_factory=dict)
    courses: Mapping[QuestionType, Course] = field(default_factory=dict)
    small_courses: Mapping[QuestionType, Course] = field(default_factory=dict)
    graph_courses: Mapping[QuestionType, Course] = field(default_factory=dict)
    graph_llm_roles: frozenset[Role] = frozenset()
    does: str = ""
    choose_for: str = ""
    mean_calls: tuple[float, float] | None = None

    def course(
        self, question_type: QuestionType, *, on_graph: bool, is_small: bool = False
    ) -> Course:
        """Return the names of the presets to try, in order.

        Args:
            question_type: As routed.
            on_graph: Whether the base is a graph without passages.
            is_small: Whether the model that answers is a small one.
        """
        courses = self.small_courses if is_small and self.small_courses else self.courses
        return (self.graph_courses if on_graph else courses).get(question_type, (self.name,))

    def complete(self, context: Context) -> Context:
        """Return the context with the preset's choices where it leaves them open."""
        is_open = self.choices.keys() - context.model_fields_set
        return context.model_copy(update={name: self.choices[name] for name in sorted(is_open)})


PRESETS: Registry[Preset] = Registry(
    {
        preset.name: preset
        for preset in (
            # The cheapest method that answers most questions, and for the rest the strongest.
            Preset(
                name="auto",
                does="chooses by the kind of question, and tries a stronger method where "
                "no answer verifies",
                choose_for="almost every question: it is the default",
                mean_calls=(1.1, 1.3),
                retriever="ket",
                graph_retriever="relation_path",
                compress=True,
                needs_model=True,
                strategies=_strategies("sparql", "generic", "generic"),
                choices=MappingProxyType({"max_model_calls": 16, "max_tokens": 200_000}),
                courses=_courses(("growth", "dagr"), whole=("graphrag",)),
                small_courses=_courses(("quick",), whole=("offline",)),
                graph_courses=_courses(("relation_path", "dotrag"), whole=("graphrag",)),
            ),
            # One prompt, and then only what is new: measured in docs/results.md as `auto`.
            Preset(
                name="growth",
                does="reads few passages, and then looks up only what they leave open",
                choose_for="text, at the fewest tokens",
                retriever="setwise",
                compress=False,
                needs_model=True,
                strategies=_strategies("sparql", "generic", "generic"),
                rounds=3,
                grows=True,
                passages=8,
                choices=MappingProxyType({"compressed_budget": 2_000}),
            ),
            # One short prompt, as small models read best; what they answer is checked afterwards.
            Preset(
                name="quick",
                does="reads the first few passages in one short prompt, and checks the answer",
                choose_for="small models, such as one on your own machine",
                retriever="setwise",
                compress=False,
                needs_model=True,
                strategies=_always("short"),
                rounds=0,
                passages=4,
                choices=MappingProxyType({"compressed_budget": 700}),
            ),
            # KET-RAG, walk, routed prompts: "The Reasoning Bottleneck in Graph-RAG", chapter 3.
            Preset(
                name="reasoning",
                does="gathers passages and relations, keeps those that matter, and "
                "reasons in steps",
                choose_for="text, at few calls and a steady price",
                mean_calls=(1.1, 1.3),
                retriever="ket",
                compress=True,
                needs_model=True,
                strategies=_strategies("sparql", "generic", "generic"),
                alternatives=MappingProxyType({"sparql": "generic", "generic": "sparql"}),
            ),
            # Sub-questions, each with its own subgraph: "DAGR", section 4.
            Preset(
                name="dagr",
                does="splits the question, and searches and answers part by part",
                choose_for="questions with many parts",
                mean_calls=(2.0, 3.6),
                retriever="dagr",
                compress=False,
                needs_model=True,
                strategies=_always("generic"),
                rounds=2,
                grows=True,
                search="by_sub_question",
                choices=MappingProxyType({"temperature": 0.0}),
                graph_llm_roles=frozenset({"answerer"}),
            ),
            # Paths from the question's concepts, judged round by round: "DotRAG", section 3.
            Preset(
                name="dotrag",
                does="follows paths from the question's concepts, and judges them in rounds",
                choose_for="the hardest chains, where calls may cost more",
                mean_calls=(8.1, 8.6),
                retriever="dot",
                compress=False,
                needs_model=True,
                strategies=_always("generic"),
                rounds=2,
                grows=True,
                search="by_path",
                choices=MappingProxyType(
                    {"max_model_calls": 32, "max_tokens": 300_000, "compressed_budget": 2_000}
                ),
            ),
            # Keywords of two levels: Guo et al., "LightRAG", 2024, dual-level retrieval.
            Preset(
                name="lightrag",
                does="searches by keywords, of details and of themes",
                choose_for="comparing with LightRAG",
                retriever="lightrag",
                compress=False,
                needs_model=True,
                strategies=_always("generic"),
                rounds=0,
                search="by_keyword",
            ),
            # Paths pruned by flow: Chen et al., "PathRAG", 2025, a baseline of DotRAG.
            Preset(
                name="pathrag",
                does="searches by keywords, and keeps the paths that connect what it found",
                choose_for="comparing with PathRAG",
                retriever="pathrag",
                compress=False,
                needs_model=True,
                strategies=_always("generic"),
                rounds=0,
                search="by_keyword",
            ),
            # The predicates that the question describes: the cheapest way over a bare graph.
            Preset(
                name="relation_path",
                does="finds the chains of relations that the question describes",
                choose_for="graphs of triples without text",
                retriever="relation_path",
                compress=False,
                needs_model=True,
                strategies=_always("generic"),
                rounds=0,
            ),
            # Seeds, candidates and the best edges of them all: "Graph-augmented LLaMA", section 3.
            Preset(
                name="multistage",
                does="ranks the relations around what the question is about",
                choose_for="the graph LLM, or dense graphs of triples",
                retriever="multistage",
                compress=False,
                needs_model=True,
                strategies=_always("generic"),
                rounds=0,
                graph_llm_roles=frozenset({"answerer"}),
            ),
            # Reports of communities, mapped and reduced: Edge et al., "From local to global", 2024.
            Preset(
                name="graphrag",
                does="answers from the reports on all communities",
                choose_for="questions about the whole, after hoptrail communities",
                retriever="community",
                compress=False,
                needs_model=True,
                strategies=_always("map_reduce"),
                alternatives=MappingProxyType({"map_reduce": "generic"}),
                rounds=0,
                choices=MappingProxyType({"max_model_calls": 32, "max_tokens": 300_000}),
            ),
            # Its local search: entities near the question, what surrounds them, their communities.
            Preset(
                name="graphrag_local",
                does="reads what surrounds the question's entities, with their "
                "communities' reports",
                choose_for="comparing with GraphRAG's local search",
                retriever="community",
                compress=False,
                needs_model=True,
                strategies=_always("generic"),
                rounds=0,
            ),
            # Text to Cypher: one query over the graph, whose rows are the answer.
            Preset(
                name="cypher",
                does="writes one query over the graph on its server, and answers by its rows",
                choose_for="counts and lists over a base in Neo4j",
                retriever="ket",
                graph_retriever="relation_path",
                compress=False,
                needs_model=True,
                strategies=_always("cypher"),
                rounds=0,
                search="by_query",
            ),
            # Sums, counts, the most, joins: told row by row, and by no passage as a whole.
            Preset(
                name=TABLES,
                does="asks the tables of your documents one query, and shows the cells behind it",
                choose_for="sums, counts and comparisons over sheets and lists",
                retriever="setwise",
                compress=False,
                needs_model=False,
                strategies=_always("tables"),
                rounds=0,
                search="by_table",
            ),
            Preset(
                name="vector",
                does="reads the passages nearest to the question",
                choose_for="comparing with usual RAG, or simple look-ups",
                retriever="vector",
                compress=False,
                needs_model=True,
                strategies=_always("plain"),
                rounds=0,
            ),
            # What the model knows by itself: the floor that retrieval has to beat.
            Preset(
                name="closed_book",
                does="asks the model alone, without your documents",
                choose_for="telling what the model knows by itself",
                retriever=None,
                compress=False,
                needs_model=True,
                strategies=_always("closed_book"),
                rounds=0,
            ),
            # All passages that a long context holds, unsorted: the price of not retrieving.
            Preset(
                name="full_context",
                does="shows the model as many passages as fit, unsorted",
                choose_for="very small collections, or comparing",
                retriever="full",
                compress=False,
                needs_model=True,
                strategies=_always("plain"),
                rounds=0,
                choices=MappingProxyType({"budget": 100_000, "max_tokens": 250_000}),
            ),
            Preset(
                name=WITHOUT_MODEL,
                does="searches the graph and reads answers out of sentences",
                choose_for="answers at no cost, of which nothing leaves the machine",
                retriever="setwise",
                graph_retriever="relation_path",
                compress=False,
                needs_model=False,
                strategies=_strategies(
                    "graph_search", "graph_search", "graph_search", whole="extractive"
                ),
                alternatives=MappingProxyType({"extractive": "graph_search"}),
                rounds=3,
            ),
        )
    },
    kind="preset",
    group=PRESET_GROUP,
    name_of=lambda value: value.name if isinstance(value, Preset) else None,
    expected="a Preset",
    listing="hoptrail presets lists them",
)
offer_choices("preset", PRESETS)


def resolve_preset(name: str, *, has_model: bool) -> Preset:
    """Return the preset; without a model `auto` is `offline`.

    Raises:
        UnknownNameError: If there is no preset of that name.
        PluginError: If an installed package adds the preset and it cannot be used.
    """
    if name not in PRESETS:
        _refuse_retriever(name)
    return PRESETS.find(WITHOUT_MODEL if name == "auto" and not has_model else name)


def _refuse_retriever(name: str) -> None:
    """Tell how a retriever is chosen where its name is given for a preset."""
    from hoptrail.services.request_services import retriever_names  # takes long to import

    if name in retriever_names():
        hint = (
            f"{name} is a retriever: --set retriever={name}, or retriever={name!r} in Python, lets "
            f"the other presets search by it, hoptrail retrieve --retriever {name} shows what it "
            "finds; hoptrail presets lists the presets"
        )
        raise UnknownNameError("preset", name, (), listing=hint)


def graph_llm_roles(name: str) -> frozenset[Role]:
    """Return the roles that the graph LLM plays by itself in the preset of that name."""
    return PRESETS[name].graph_llm_roles if name in PRESETS else frozenset()


def depends_on_type(preset: Preset, *, on_graph: bool, has_reports: bool) -> bool:
    """Return whether a question's type makes a difference.

    Args:
        preset: Any preset.
        on_graph: Whether the base is a graph without passages.
        has_reports: Whether its communities are described.
    """
    ways = set()
    for question_type in QUESTION_TYPES:
        if question_type == "global" and not has_reports:
            continue
        course = preset.course(question_type, on_graph=on_graph)
        ways.add((course, PRESETS[course[0]].strategies[question_type]))
    return len(ways) > 1
