"""Public sets made ready: the originals' forms, the pooled corpus, gold that resolves."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from hoptrail.core.errors import (
    InputError,
    MissingExtraError,
    SettingsError,
    UnknownNameError,
)
from hoptrail.core.types import Document
from hoptrail.eval.datasets.origin import Example
from hoptrail.eval.datasets.prepare import draw, prepare_dataset
from hoptrail.eval.questions.graphs_file import GraphFile
from hoptrail.eval.questions.question import Gold, GoldStep, Question, resolve_gold
from hoptrail.eval.questions.reader import load_questions
from hoptrail.indexing.loading.documents import load_documents
from tests.unit.eval.datasets.originals import (
    ARTICLES,
    HOTPOT,
    MUSIQUE,
    NEWS,
    ROG,
    write_json,
    write_lines,
    write_metaqa,
)

EXAMPLES = [Example({"id": f"q{n:03}"}) for n in range(200)]


def prepare(name: str, source: Path, **options: Any) -> list[Question]:
    prepare_dataset(name, source, source.parent / "out", **options)
    return load_questions(source.parent / "out" / "questions.jsonl")


def documents_of(source: Path) -> list[Document]:
    loaded = list(load_documents([source.parent / "out" / "corpus.jsonl"]))
    documents = [item for item in loaded if isinstance(item, Document)]
    assert documents == loaded
    return documents


def gold_titles(source: Path, questions: list[Question]) -> list[list[str]]:
    """Return the titles of each question's gold documents in the prepared corpus."""
    documents = documents_of(source)
    titles = {document.id: document.title for document in documents}
    gold = resolve_gold(questions, documents, source)
    return [[titles[name] for name in gold[question.id].documents] for question in questions]


def test_hotpotqa(tmp_path: Path) -> None:
    source = write_json(tmp_path / "hotpot_dev_distractor_v1.json", [HOTPOT])
    questions = prepare("hotpotqa", source)
    (question,) = questions
    assert (question.id, question.answers, question.type) == ("h1", (("Arn",),), "bridge")
    assert question.sentences == (
        ("Vell Mill", "It stands in Toren."),
        ("Toren", "Toren lies on the Arn."),
    )
    assert gold_titles(source, questions) == [["Vell Mill", "Toren"]]
    texts = {document.title: document.text for document in documents_of(source)}
    assert texts["Vell Mill"] == "Vell Mill grinds rye. It stands in Toren."


def test_the_columns_of_the_hub_are_read_like_the_lists_of_the_authors(tmp_path: Path) -> None:
    columns = {
        **{name: HOTPOT[name] for name in ("question", "answer", "type", "level")},
        "id": "h1",
        "supporting_facts": {"title": ["Vell Mill", "Toren"], "sent_id": [1, 0]},
        "context": {
            "title": [title for title, _ in HOTPOT["context"]],
            "sentences": [sentences for _, sentences in HOTPOT["context"]],
        },
    }
    authors = prepare("hotpotqa", write_json(tmp_path / "a" / "dev.json", [HOTPOT]))
    hub = prepare("hotpotqa", write_lines(tmp_path / "b" / "dev.jsonl", columns))
    assert authors == hub


def test_support_that_the_context_lacks_is_named_by_title(tmp_path: Path) -> None:
    fullwiki = {**HOTPOT, "context": HOTPOT["context"][:2]}
    source = write_json(tmp_path / "hotpot_dev_fullwiki_v1.json", [fullwiki])
    (question,) = prepare("hotpotqa", source)
    assert question.support.passages == ()
    assert question.support.titles == ("Vell Mill", "Toren")


def test_two_wiki_joins_sentences_with_a_space(tmp_path: Path) -> None:
    context = [
        ["Vell Mill", ["Vell Mill grinds rye.", "It stands in Toren."]],
        HOTPOT["context"][2],
    ]
    folder = tmp_path / "2wiki"
    write_json(folder / "dev.json", [{**HOTPOT, "context": context}])
    questions = prepare("2wiki", folder)
    assert gold_titles(folder, questions) == [["Vell Mill", "Toren"]]
    texts = {document.title: document.text for document in documents_of(folder)}
    assert texts["Vell Mill"] == "Vell Mill grinds rye. It stands in Toren."


def test_musique(tmp_path: Path) -> None:
    unanswerable = {**MUSIQUE, "answerable": False}
    folder = tmp_path / "musique"
    write_lines(folder / "data" / "musique_ans_v1.0_dev.jsonl", MUSIQUE, unanswerable)
    questions = prepare("musique", folder)
    (question,) = questions
    assert question.answers == (("Arn", "the Arn"),)
    assert question.hops == 2
    assert question.steps == (
        GoldStep("Vell Mill >> town", "Toren", (("Vell Mill", "Vell Mill stands in Toren."),)),
        GoldStep("#1 >> river", "Arn", (("Toren", "Toren lies on the Arn."),)),
    )
    assert gold_titles(folder, questions) == [["Toren", "Vell Mill"]]
    record = json.loads((tmp_path / "out" / "dataset.json").read_text(encoding="utf-8"))
    assert record["left_out"] == 1


def test_metaqa(tmp_path: Path) -> None:
    one, two = prepare("metaqa", write_metaqa(tmp_path / "MetaQA"))
    assert (one.id, one.text) == ("metaqa-1hop-dev-1", "who directed Oak")
    assert (one.topic_entities, one.hops) == (("Oak",), 1)
    assert two.answers == (("1990",), ("1991",))
    assert two.relation_paths == (("directed_by", "release_year"),)
    triples = (tmp_path / "out" / "triples.txt").read_text(encoding="utf-8")
    assert triples == (tmp_path / "MetaQA" / "kb.txt").read_text(encoding="utf-8")


def test_metaqa_of_one_number_of_hops(tmp_path: Path) -> None:
    folder = write_metaqa(tmp_path / "MetaQA")
    prepared = prepare_dataset("metaqa", folder / "2-hop", tmp_path / "out")
    assert prepared.files == {"questions.jsonl": 1, "triples.txt": 3}


def test_webqsp_keeps_a_graph_for_each_question(tmp_path: Path) -> None:
    bare = {**ROG, "id": "WebQTest-2", "graph": []}
    unanswered = {**ROG, "id": "WebQTest-3", "answer": []}
    folder = tmp_path / "webqsp"
    write_lines(folder / "validation.jsonl", ROG, bare, unanswered)
    first, second = prepare("webqsp", folder)
    assert first.topic_entities == ("Vell Mill",)
    assert first.graph is not None and second.graph is not None
    graphs = GraphFile(tmp_path / "out" / "graphs.jsonl.gz")
    assert graphs.triples(first.graph) == tuple((h, r, t) for h, r, t in ROG["graph"])
    assert graphs.triples(second.graph) == ()
    graphs.close()


def test_parquet_as_rog_publishes_it(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    folder = tmp_path / "cwq" / "data"
    folder.mkdir(parents=True)
    for shard in range(2):
        table = pyarrow.Table.from_pylist([{**ROG, "id": str(shard)}])
        parquet.write_table(table, folder / f"validation-0000{shard}-of-00002.parquet")
    assert [question.id for question in prepare("cwq", folder.parent)] == ["0", "1"]


def test_multihop_rag_has_one_corpus_and_no_copies_of_questions(tmp_path: Path) -> None:
    folder = tmp_path / "mhr"
    write_json(folder / "MultiHopRAG.json", [NEWS, NEWS])
    write_json(folder / "corpus.json", ARTICLES)
    questions = prepare("multihop_rag", folder)
    assert questions[0].sentences == (("Fire", "A fire broke out."), ("Smoke", "Smoke rose."))
    assert gold_titles(folder, questions) == [["Fire", "Smoke"]]
    assert len(documents_of(folder)) == 3


def test_the_pool_holds_a_passage_once_and_calls_it_the_same_in_every_draw(tmp_path: Path) -> None:
    rows = [{**HOTPOT, "_id": f"h{n}"} for n in range(3)]
    source = write_json(tmp_path / "dev.json", rows)
    prepare("hotpotqa", source, sample=1)
    few = documents_of(source)
    prepare("hotpotqa", source, sample=3)
    assert documents_of(source) == few
    assert len(few) == 3


def test_the_same_arguments_give_the_same_files(tmp_path: Path) -> None:
    rows = [{**ROG, "id": f"q{n}"} for n in range(20)]
    forth = write_lines(tmp_path / "a" / "dev.jsonl", *rows)
    back = write_lines(tmp_path / "b" / "dev.jsonl", *reversed(rows))
    for source in (forth, back):
        prepare("webqsp", source, sample=7, seed=3)
    for name in ("questions.jsonl", "graphs.jsonl.gz", "dataset.json"):
        assert (tmp_path / "a" / "out" / name).read_bytes() == (
            tmp_path / "b" / "out" / name
        ).read_bytes()


def test_a_draw_again_leaves_nothing_of_the_one_before(tmp_path: Path) -> None:
    source = write_json(tmp_path / "dev.json", [HOTPOT])
    prepare("hotpotqa", source)
    prepare("webqsp", write_lines(tmp_path / "dev.jsonl", ROG))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "dataset.json",
        "graphs.jsonl.gz",
        "questions.jsonl",
    ]


def test_a_compressed_original_is_read(tmp_path: Path) -> None:
    source = tmp_path / "dev.json.gz"
    source.write_bytes(gzip.compress(json.dumps([HOTPOT]).encode()))
    assert prepare("hotpotqa", source)[0].id == "h1"


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("hotpotqa", {**HOTPOT, "context": None}, "record 1: the field 'context' is missing"),
        ("hotpotqa", {**HOTPOT, "context": [["A"]]}, "record 1: the field 'context' is no list"),
        (
            "hotpotqa",
            {name: value for name, value in HOTPOT.items() if name != "answer"},
            "record 1: the field 'answer' is missing",
        ),
        ("musique", {**MUSIQUE, "paragraphs": [{"idx": 0}]}, "'paragraph_text' is missing"),
        ("webqsp", {**ROG, "graph": [["a"]]}, "record 1: the field 'graph' is no list of triples"),
        ("webqsp", {"id": "a", "question": "?"}, "record 1: the field 'answer' is missing"),
        ("hotpotqa", "text", "record 1: not a JSON object"),
    ],
)
def test_a_bad_record_is_named(tmp_path: Path, name: str, row: object, message: str) -> None:
    source = write_json(tmp_path / "dev.json", [row])
    with pytest.raises(InputError) as caught:
        prepare(name, source)
    assert str(caught.value).startswith(str(source))
    assert message in str(caught.value)


def test_a_list_that_breaks_off_is_an_error(tmp_path: Path) -> None:
    source = tmp_path / "dev.json"
    source.write_text(json.dumps([HOTPOT])[:-1], encoding="utf-8")
    with pytest.raises(InputError, match="the list does not end"):
        prepare("hotpotqa", source)


def test_a_line_without_a_topic_is_no_line_of_metaqa(tmp_path: Path) -> None:
    folder = write_metaqa(tmp_path / "MetaQA")
    path = folder / "1-hop/vanilla/qa_dev.txt"
    path.write_text("who directed Oak\tAnn Lee\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"qa_dev\.txt:1: no line of MetaQA"):
        prepare("metaqa", folder)


def test_a_folder_without_the_split_says_what_was_looked_for(tmp_path: Path) -> None:
    write_json(tmp_path / "2wiki" / "dev.json", [HOTPOT])
    with pytest.raises(InputError, match=r"there is no test\.json .*--split"):
        prepare("2wiki", tmp_path / "2wiki", split="test")


def test_a_split_without_answers_is_an_error(tmp_path: Path) -> None:
    source = write_json(tmp_path / "test.json", [{**HOTPOT, "answer": ""}])
    with pytest.raises(InputError, match="no question of the split 'test' has an answer"):
        prepare("2wiki", source, split="test")


def test_two_questions_with_one_id_are_an_error(tmp_path: Path) -> None:
    source = write_json(tmp_path / "dev.json", [HOTPOT, HOTPOT])
    with pytest.raises(InputError, match="two questions have the id 'h1'"):
        prepare("hotpotqa", source)


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    source = write_json(tmp_path / "dev.json", [HOTPOT])
    kept = write_lines(tmp_path / "out" / "questions.jsonl", {"mine": 1})
    before = kept.read_bytes()
    with pytest.raises(InputError, match="holds files that are not of a data set"):
        prepare("hotpotqa", source)
    assert kept.read_bytes() == before


def test_wrong_arguments(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'hotpotqa'"):
        prepare_dataset("hotpot_qa", tmp_path, tmp_path / "out")
    with pytest.raises(SettingsError, match="a sample of -1"):
        prepare_dataset("hotpotqa", tmp_path, tmp_path / "out", sample=-1)
    with pytest.raises(InputError, match="no such file or folder"):
        prepare_dataset("hotpotqa", tmp_path / "none", tmp_path / "out")


def test_the_hub_without_its_library_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtraError) as caught:
        prepare_dataset("hotpotqa", "hub", tmp_path / "out")
    assert caught.value.hint == 'pip install "hoptrail[datasets]"'


def test_gold_of_a_question_without_support_is_empty(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "dev.jsonl", ROG)
    questions = prepare("webqsp", source)
    assert resolve_gold(questions, [], source) == {"WebQTest-1": Gold()}


def ids(size: int, seed: int, examples: list[Example] = EXAMPLES) -> list[str]:
    return [example.question["id"] for example in draw(examples, size, seed).examples]


def test_the_order_of_the_source_does_not_matter() -> None:
    assert ids(20, 42) == ids(20, 42, EXAMPLES[::-1])


def test_another_seed_draws_others() -> None:
    assert ids(20, 42) != ids(20, 43)


def test_a_larger_draw_holds_the_smaller_one() -> None:
    assert set(ids(20, 42)) < set(ids(50, 42))


def test_zero_and_more_than_there_are_draw_all() -> None:
    assert ids(0, 42) == ids(500, 42) == [example.question["id"] for example in EXAMPLES]


def test_every_example_has_the_same_chance() -> None:
    drawn = [name for seed in range(200) for name in ids(50, seed)]
    counts = [drawn.count(example.question["id"]) for example in EXAMPLES]
    # Binomial(200, 1/4): mean 50, standard deviation 6.1.
    assert 50 - 4.5 * 6.1 < min(counts) and max(counts) < 50 + 4.5 * 6.1


def test_what_cannot_be_scored_is_counted() -> None:
    assert draw([EXAMPLES[0], None, None], 1, 42).left_out == 2


def test_an_id_may_stand_once() -> None:
    with pytest.raises(InputError, match="two questions have the id 'q000'"):
        draw([EXAMPLES[0], EXAMPLES[0]], 1, 42)
