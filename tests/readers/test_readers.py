"""Other packages read what was published, each in an environment of its own.

Their requirements exclude one another, so each gets a virtual environment under `build/readers`.
"""

from __future__ import annotations

import json
import os
import subprocess
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.milvus import connection as milvus
from hoptrail.stores.milvus.address import MilvusAddress
from hoptrail.stores.milvus.schema import collection_of, space_of
from hoptrail.stores.milvus.store import MilvusStore
from hoptrail.stores.neo4j.connection import Connection, ServerAddress
from hoptrail.stores.neo4j.pointer import Pointer
from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.stores.publication import bring_in_step
from tests.servers import fixtures
from tests.servers.fixtures import shared_milvus, shared_neo4j

pytestmark = [pytest.mark.readers, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
QUESTIONS = {  # the title of the passage, or the name of the entity, that each asks for
    "Where was Marie Curie born?": "Marie Curie",
    "Which yard built the Morning Tern?": "Morning Tern",
    "Who built the ship Fram?": "Fram",
}


@pytest.fixture(scope="module")
def articles(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    """The example articles, open for writing."""
    folder = tmp_path_factory.mktemp("articles") / "kb"
    with Hoptrail.open(folder, create=True, writable=True) as hoptrail:
        hoptrail.index([ROOT / "examples/articles"], extractor="nlp")
        yield hoptrail.knowledge_base


@pytest.fixture(scope="module")
def graph_request(articles: KnowledgeBase) -> Iterator[str]:
    """A base that was published to Neo4j, as a reader is told of it."""
    address = shared_neo4j("lts")
    connection = Connection(ServerAddress(address.uri, None, address.user, address.password))
    store = Neo4jStore(connection, "readers")
    bring_in_step(articles, store)
    space = Pointer.read(connection, "readers").space.prefix
    yield request_text(address, space, articles)
    store.remove()
    store.close()


@pytest.fixture(scope="module")
def vectors_request(articles: KnowledgeBase) -> Iterator[str]:
    """The same base in Milvus."""
    address = shared_milvus()
    token = f"{address.user}:{address.password}"
    store = MilvusStore(milvus.Connection(MilvusAddress(address.uri, token=token)), "readers")
    bring_in_step(articles, store)
    base = articles.base_description()
    space = collection_of("chunk", space_of(base.embedder, base.dim))
    yield request_text(address, space, articles)
    store.remove()
    store.close()


def request_text(address: fixtures.ServerAddress, space: str, base: KnowledgeBase) -> str:
    vectors = {question: base.embed_query(question).tolist() for question in QUESTIONS}
    told = {"uri": address.uri, "user": address.user, "password": address.password}
    return json.dumps({**told, "space": space, "vectors": vectors})


@pytest.mark.parametrize(
    ("program", "packages"),
    [
        ("read_langchain.py", ["langchain-neo4j"]),
        ("read_graphrag.py", ["neo4j-graphrag"]),
        ("read_llama_index.py", ["llama-index-graph-stores-neo4j", "llama-index-core"]),
    ],
)
def test_a_reader_finds_what_each_question_asks_for(
    graph_request: str, program: str, packages: list[str]
) -> None:
    check_reader(graph_request, program, packages)


def test_langchain_milvus_finds_what_each_question_asks_for(vectors_request: str) -> None:
    check_reader(vectors_request, "read_langchain_milvus.py", ["langchain-milvus", "setuptools"])


def check_reader(request_text: str, program: str, packages: list[str]) -> None:
    python = environment(packages)
    done = subprocess.run(
        [python, ROOT / "tests/readers" / program],
        input=request_text,
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {question: wanted in found[question] for question, wanted in QUESTIONS.items()} == {
        question: True for question in QUESTIONS
    }, found


def environment(packages: list[str]) -> Path:
    """Return the Python of an environment that has these packages; made once."""
    folder = ROOT / "build/readers" / packages[0]
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", *packages], check=True, env=ENVIRONMENT
        )
        (folder / "complete").touch()
    return python
