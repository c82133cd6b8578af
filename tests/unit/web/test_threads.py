"""Links to threads: how long they hold, and what they are made of."""

from __future__ import annotations

import base64
from datetime import datetime, timedelta

import pytest
from langgraph.store.memory import InMemoryStore

from hoptrail.core.errors import UnknownNameError
from hoptrail.web.keys import Access
from hoptrail.web.threads import ThreadList, new_thread

OWNER, READER = Access("user:anna"), Access("bert")


async def test_a_link_holds_as_many_days_as_it_was_made_for() -> None:
    threads = ThreadList(InMemoryStore())
    entry = new_thread("ships", "Who?")
    await threads.add(OWNER, entry)

    link = await threads.share(OWNER, entry.id, 30)

    made, ends = datetime.fromisoformat(link.created), datetime.fromisoformat(link.expires)
    assert ends - made == timedelta(days=30)
    assert await threads.open_shared(READER, ["ships"], link.token) == (link, entry)


async def test_a_link_that_has_ended_shows_nothing_and_is_not_told_of() -> None:
    threads = ThreadList(InMemoryStore())
    entry = new_thread("ships", "Who?")
    await threads.add(OWNER, entry)

    link = await threads.share(OWNER, entry.id, 0)

    assert await threads.shared(OWNER, entry.id) is None
    for reader in (OWNER, READER):
        with pytest.raises(UnknownNameError):
            await threads.open_shared(reader, ["ships"], link.token)


async def test_a_link_is_128_random_bits() -> None:
    threads = ThreadList(InMemoryStore())
    entry = new_thread("ships", "Who?")
    await threads.add(OWNER, entry)

    links = {(await threads.share(OWNER, entry.id, 30)).token for _ in range(20)}

    assert {len(base64.urlsafe_b64decode(f"{one}==")) for one in links} == {16}
    assert len(links) == 20


async def test_the_base_of_a_thread_must_be_one_that_the_reader_has() -> None:
    threads = ThreadList(InMemoryStore())
    entry = new_thread("ships", "Who?")
    await threads.add(OWNER, entry)
    link = await threads.share(OWNER, entry.id, 30)

    with pytest.raises(UnknownNameError):
        await threads.open_shared(READER, ["other"], link.token)
