"""The common part of whatever changes a knowledge base with the help of models."""

from __future__ import annotations

from hoptrail.core.embedding import Embedder, RemoteEmbedder
from hoptrail.core.progress import NoProgress, Progress
from hoptrail.core.settings import Price, Settings
from hoptrail.indexing.model_calls.prices import price_for_limit
from hoptrail.models.chat import ChatModels, RoleModel
from hoptrail.stores.knowledge_base import KnowledgeBase


class Maintenance:
    """A knowledge base with the settings, models and observer of the work on it.

    Args:
        kb: The knowledge base.
        settings: Prices, model settings and folder of prompts.
        models: Chat models; those of the settings where None.
        progress: Observer of the stages.
        remote_embedder: Name of the base's embedder where it is one that is called, for forecasts:
            they open no embedder.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        *,
        settings: Settings | None = None,
        models: ChatModels | None = None,
        progress: Progress | None = None,
        remote_embedder: str | None = None,
    ) -> None:
        self._kb = kb
        self._settings = settings or Settings()
        self._models = models or ChatModels(self._settings)
        self._progress = progress or NoProgress()
        self._remote_embedder = remote_embedder

    @property
    def captures_content(self) -> bool:
        """Whether spans may hold texts."""
        return self._settings.tracing.capture_content

    def _price(self, model: RoleModel, max_usd: float | None) -> Price | None:
        """Return the model's price; a limit of dollars needs one that is known."""
        return price_for_limit(model.name, self._settings.prices, max_usd)

    def _embedding_price(
        self, max_usd: float | None = None, embedder: Embedder | None = None
    ) -> Price | None:
        """Return the embedder's price; a limit of dollars needs one that is known.

        Args:
            max_usd: The limit, None for any.
            embedder: The embedder; the base's where None. One of this machine costs nothing.
        """
        chosen = embedder or self._kb.embedder
        if not isinstance(chosen, RemoteEmbedder):
            return None
        return price_for_limit(chosen.name, self._settings.prices, max_usd)

    def _publish_generation(self) -> None:
        self._progress.start("publish", None)
        self._kb.publish()
        self._progress.finish("publish")
