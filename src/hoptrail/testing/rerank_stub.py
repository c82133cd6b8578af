"""A real HTTP server on loopback that scores passages as rerank servers do, and fails on demand."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from hoptrail.core.text import content_words
from hoptrail.testing.faults import Fault, LoopbackHandler, LoopbackServer
from hoptrail.testing.stub_server import JsonDict, StubRequest


def shared_words(question: str, passages: Sequence[str]) -> list[float]:
    """Return for each passage the share of the question's words that it has."""
    wanted = frozenset(content_words(question))
    held = [wanted & frozenset(content_words(passage)) for passage in passages]
    return [len(words) / max(1, len(wanted)) for words in held]


def results(scores: Sequence[float]) -> JsonDict:
    """Return a reply with these scores, the best first, as the servers send it."""
    order = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    rows = [{"index": place, "relevance_score": scores[place]} for place in order]
    return {"object": "list", "model": "stub", "results": rows}


def _by_words(body: JsonDict) -> Any:
    return results(shared_words(body["query"], body["documents"]))


class _Handler(LoopbackHandler):
    """Answers one connection."""

    stub: RerankStubServer

    def do_POST(self) -> None:
        body = self.read_json()
        headers = {name.lower(): value for name, value in self.headers.items()}
        fault = self.stub.next_fault(StubRequest(body, headers))
        if not self.path.rstrip("/").endswith(("/rerank", "/reranking")):
            self.send_json(404, {"message": "no such path"})
            return
        self.stub.hang(fault.delay)
        if fault.status != 200:
            self.send_json(fault.status, {"message": fault.text}, fault.headers)
        else:
            self.send_json(200, self.stub.reply(body), drop=fault.drop)


@dataclass
class RerankStubServer(LoopbackServer):
    """Serves `/rerank` and `/v1/rerank`, as a context manager.

    Args:
        reply: From the body of a request to that of its reply; by default passages are scored by
            the words that they share with the question.
        faults: What goes wrong with the first calls, a fault each.
        port: Port on 127.0.0.1; 0 takes a free one.
    """

    handler: ClassVar[type[LoopbackHandler]] = _Handler

    reply: Callable[[JsonDict], Any] = _by_words
    faults: Sequence[Fault] = ()
    port: int = 0
    requests: list[StubRequest] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._lock = threading.Lock()

    def next_fault(self, request: StubRequest) -> Fault:
        """Record a request and return what goes wrong with it."""
        with self._lock:
            place = len(self.requests)
            self.requests.append(request)
        return self.faults[place] if place < len(self.faults) else Fault()
