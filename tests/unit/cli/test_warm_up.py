from collections.abc import Iterator
from pathlib import Path

import pytest

from hoptrail import Hoptrail
from hoptrail.cli.conversation import WarmUp
from hoptrail.core.settings import Settings
from tests.ships import hashing_settings, index_ships


@pytest.fixture
def hoptrail(tmp_path: Path) -> Iterator[Hoptrail]:
    index_ships(tmp_path, hashing_settings())
    with Hoptrail.open(tmp_path, settings=hashing_settings()) as opened:
        yield opened


def test_the_embedder_is_loaded_meanwhile(hoptrail: Hoptrail) -> None:
    WarmUp(hoptrail).wait()

    assert hoptrail.stored.embedder.name == hoptrail.knowledge_base.embedder.name


def test_no_thread_is_kept_of_it(hoptrail: Hoptrail) -> None:
    WarmUp(hoptrail).wait()

    assert hoptrail.threads() == []


def test_a_failure_is_left_to_the_question(hoptrail: Hoptrail, tmp_path: Path) -> None:
    unknown = Settings(embedder="no-such-embedder")
    with Hoptrail.open(tmp_path, settings=unknown) as opened:
        WarmUp(opened).wait()

        with pytest.raises(Exception, match="no-such-embedder"):
            opened.ask("Who founded the Alder Yard?")


def test_closing_ends_it(hoptrail: Hoptrail) -> None:
    warm_up = WarmUp(hoptrail)
    hoptrail.close()

    warm_up.wait()
