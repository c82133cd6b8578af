"""Optional parts of a request that some servers refuse, found out by asking."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from hoptrail.models.failures import Failure

Feature = Literal["tools", "temperature", "streaming", "logprobs"]
OPTIONAL: Mapping[str, Feature] = {"temperature": "temperature", "logprobs": "logprobs"}
"""Options of a call that a server may refuse, by their names in LangChain."""

_REFUSED_STATUS = frozenset({400, 404, 405, 415, 422, 501})
_COMPLAINTS: tuple[tuple[Feature, re.Pattern[str]], ...] = (
    ("logprobs", re.compile(r"logprobs?", re.IGNORECASE)),
    ("temperature", re.compile(r"temperature", re.IGNORECASE)),
    ("streaming", re.compile(r"stream", re.IGNORECASE)),
    ("tools", re.compile(r"\btools?\b|tool[-_ ]|function", re.IGNORECASE)),
)


@dataclass
class Features:
    """Features that a model's server accepts; all calls of the model in this process share them."""

    refused: set[Feature] = field(default_factory=set)

    def accepts(self, feature: Feature) -> bool:
        """Return whether the feature was not refused so far."""
        return feature not in self.refused

    def learn(self, failure: Failure) -> bool:
        """Note the feature that a refusal complains about; return whether one was found."""
        if failure.status not in _REFUSED_STATUS or failure.written is not None:
            return False
        for feature, complaint in _COMPLAINTS:
            if feature not in self.refused and complaint.search(failure.reason):
                self.refused.add(feature)
                return True
        return False
