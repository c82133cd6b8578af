"""Which requests `hoptrail serve` lets through to the LangGraph server."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from starlette.datastructures import Headers

from hoptrail.web.origin_rules import OriginRules, Refusal, check_content_type

STUDIO_ORIGIN = "https://smith.langchain.com"
"""Where LangGraph Studio's page comes from."""

LARGEST_BODY = 8 * 1024 * 1024
"""Bytes of one request."""

_WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})

_THREADS = r"/threads(?!.*/crons)(?:/.*)?"
_SERVED = {
    "GET": rf"/(?:ok|info|docs|openapi\.json)?|{_THREADS}"
    r"|/assistants/[^/]+(?:/(?:graph|schemas|subgraphs(?:/.*)?))?",
    "POST": rf"/assistants/(?:search|count|[^/]+/versions)|{_THREADS}"
    r"|/runs(?:/(?:stream|wait|batch|cancel))?",
    "PATCH": _THREADS,
    "DELETE": _THREADS,
}


@dataclass(frozen=True, slots=True)
class GateRules(OriginRules):
    """Permissions that the operator of `hoptrail serve` gives; arguments as of `OriginRules`."""

    def to_json(self) -> str:
        """Return the rules as a text."""
        return json.dumps([sorted(self.hosts), sorted(self.origins), self.any_address])

    @classmethod
    def from_json(cls, text: str) -> GateRules:
        """Return the rules that `to_json` wrote."""
        hosts, origins, any_address = json.loads(text)
        return cls(frozenset(hosts), frozenset(origins), any_address)

    def check(self, method: str, path: str, headers: Headers) -> None:
        """Raise Refusal unless the request may pass.

        Args:
            method: Of HTTP.
            path: Decoded, without the query.
            headers: Of the request.
        """
        self.check_origin(method, headers)
        if method == "OPTIONS":
            return
        served = _SERVED.get("GET" if method == "HEAD" else method)
        if served is None or not re.fullmatch(served, path):
            raise Refusal(404, f"{method} {path!r} is not served by hoptrail")
        if method in _WRITES:
            check_content_type(headers)

    def refused_origin(self, origin: str | None) -> str:
        """Return why a page of this origin is refused, and which option allows it."""
        option = "--studio" if origin == STUDIO_ORIGIN else "--allow-origin"
        return f"{OriginRules.refused_origin(self, origin)} (hoptrail serve {option} allows them)"
