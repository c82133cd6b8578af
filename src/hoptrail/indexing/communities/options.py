"""The choices of one run over the communities."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.agents.community_reports.report_material import MATERIAL_TOKENS
from hoptrail.core.errors import SettingsError

_FEWEST_TOKENS = 200


@dataclass(frozen=True, slots=True)
class CommunityOptions:
    """How to find communities and report on them.

    Attributes:
        rebuild: Forget the earlier hierarchy and the reports that no community has any more.
        extractive: Write all missing reports without a model, also where one is configured.
        concurrency: Model calls at the same time.
        max_usd: What the run may spend at most.
        material_tokens: Tokens of a prompt that are given to what a community holds.
        seed: Seed of the clustering.
    """

    rebuild: bool = False
    extractive: bool = False
    concurrency: int = 4
    max_usd: float | None = None
    material_tokens: int = MATERIAL_TOKENS
    seed: int = 42

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise SettingsError("concurrency must be at least 1")
        if self.material_tokens < _FEWEST_TOKENS:
            raise SettingsError(
                f"material_tokens is {self.material_tokens}",
                hint=f"choose {_FEWEST_TOKENS} or more",
            )
        if self.max_usd is not None and self.max_usd < 0:
            raise SettingsError(f"max_usd is {self.max_usd}", hint="choose 0 or more")
