"""The parts of an application that its routes share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from fastapi import Request

from hoptrail.web.bases import ServedBases
from hoptrail.web.errors import ApiError
from hoptrail.web.gate import RequestNotes, notes_of
from hoptrail.web.job_queue import JobQueue
from hoptrail.web.job_worker import JobWorker
from hoptrail.web.keys import Access, KeyRing
from hoptrail.web.limits import RequestRate, Spending
from hoptrail.web.monitoring import Metrics
from hoptrail.web.options import WebOptions
from hoptrail.web.runs import Runs
from hoptrail.web.sign_on import SignedOn
from hoptrail.web.threads import ThreadList


@dataclass(frozen=True, slots=True)
class WebServices:
    """The parts of one application, made at its start."""

    options: WebOptions
    bases: ServedBases
    keys: KeyRing
    people: SignedOn | None
    threads: ThreadList
    runs: Runs
    rate: RequestRate
    spending: Spending
    queue: JobQueue
    worker: JobWorker
    metrics: Metrics

    @property
    def login(self) -> Literal["none", "key", "sign_on"]:
        """How askers are known."""
        if self.people is not None:
            return "sign_on"
        return "key" if self.keys.is_required else "none"

    def may_write(self, access: Access) -> bool:
        """Return whether an asker may upload and delete documents."""
        return access.writes and not self.options.read_only

    def may_review(self, access: Access) -> bool:
        """Return whether an asker may read all feedback and save answers for all.

        A key with a filter may not: feedback tells of documents that are hidden from it.
        """
        return access.reviews and access.filter is None

    def require_review(self, access: Access) -> None:
        """Raise ApiError unless an asker may read all feedback."""
        if not self.may_review(access):
            raise ApiError(
                403, "not_allowed", "this key may not review feedback", hint="ask the operator"
            )

    def require_writes(self, access: Access) -> None:
        """Raise ApiError unless an asker may upload and delete documents.

        A key with a filter may not: what it uploads it could not see, and it could replace
        documents that are hidden from it.
        """
        if not self.may_write(access):
            raise ApiError(
                403, "not_allowed", "documents cannot be changed here", hint="ask the operator"
            )
        if access.filter is not None:
            raise ApiError(
                403,
                "not_allowed",
                "a key with a filter cannot change documents",
                hint="use another",
            )


def services_of(request: Request) -> WebServices:
    """Return the parts of the application that a request came to."""
    return cast(WebServices, request.app.state.services)


def access_of(request: Request) -> Access:
    """Return what whoever sent a request may do."""
    return notes_of(request.scope).access


def request_notes(request: Request) -> RequestNotes:
    """Return the notes of a request."""
    return notes_of(request.scope)
