"""A publisher that is killed at any moment, and what the next one makes of it."""

from __future__ import annotations

import os
import random
import select
import signal
import time
from pathlib import Path

import pytest

from hoptrail.core.progress import NoProgress
from hoptrail.stores.knowledge_base import KnowledgeBase
from hoptrail.stores.neo4j.connection import Connection
from hoptrail.stores.neo4j.store import Neo4jStore
from hoptrail.stores.publication import bring_in_step
from tests.forks import finish, run_in_child
from tests.servers.bases import TownBase, public_content

pytestmark = pytest.mark.slow

KILLS = 7  # the first of either way is left to end, to see how long it takes
TEXTS = ("This town has a fair.", "This town burnt down in 1801, alas.")


def publish_once(folder: Path, url: str, name: str, how: str, begins: int) -> None:
    """Publish the base in a folder, and tell when it begins."""
    with KnowledgeBase.open(folder, writable=True) as kb:
        store = Neo4jStore.open(url, name)
        state = store.state()
        change = kb.change(None if how == "all" or state is None else state.generation)
        os.write(begins, b"!")
        store.publish(change, NoProgress())


def publish_and_kill(
    folder: Path, url: str, name: str, how: str, after: float | None = None
) -> float:
    """Start a publisher, kill it so many seconds after it began; return how long it worked."""
    told, begins = os.pipe()
    publisher = run_in_child(lambda: publish_once(folder, url, name, how, begins))
    os.close(begins)
    assert os.read(told, 1)
    begun = time.monotonic()
    if after is not None:
        select.select([told], [], [], after)  # what it alone could write to closes at its end
        os.kill(publisher, signal.SIGKILL)
    status = finish(publisher)
    os.close(told)
    assert status in (0, -signal.SIGKILL)
    return time.monotonic() - begun


def test_after_a_kill_at_any_moment_the_next_publication_is_as_undisturbed(
    tmp_path: Path, url: str, connection: Connection, name: str
) -> None:
    folder = tmp_path / "towns"
    towns = TownBase(folder)
    store, fresh = Neo4jStore.open(url, name), Neo4jStore.open(url, f"{name}x")
    bring_in_step(towns.kb, store)
    moments = random.Random(17)
    seconds: dict[str, float] = {}
    expected: list[object] = []
    for kill in range(KILLS):
        how = "all" if kill % 3 == 0 else "change"
        towns.say(3, TEXTS[kill % 2])
        towns.publish()
        towns.kb.close()
        if how in seconds:
            after = moments.uniform(0, seconds[how])
            publish_and_kill(folder, url, name, how, after)
        else:
            seconds[how] = publish_and_kill(folder, url, name, how)
        towns.reopen()
        bring_in_step(towns.kb, store)
        if len(expected) <= kill % 2:
            fresh.publish(towns.kb.change(None), NoProgress())
            expected.append(public_content(connection, f"{name}x"))
        assert public_content(connection, name) == expected[kill % 2], f"kill {kill} of {how}"
    state = store.state()
    assert state is not None
    assert state.base == towns.kb.base_description()
    towns.kb.close()
    store.close()
    fresh.close()
