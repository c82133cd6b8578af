"""The knowledge bases that an application serves, as each asker sees them."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping
from typing import Any

from hoptrail.api import Hoptrail
from hoptrail.core.errors import HoptrailError, SettingsError, UnknownNameError
from hoptrail.core.settings import ServedBase, Settings
from hoptrail.core.types import JsonDict
from hoptrail.graphs.presets import PRESETS
from hoptrail.models.local.model_files import check_of
from hoptrail.web.keys import Access

_NAME = re.compile(r"[^\W_][\w .-]{0,99}")  # it names a folder of uploads, and stands in addresses
_log = logging.getLogger(__name__)


class ServedBases:
    """Knowledge bases by name; none is open before `open`.

    Args:
        bases: Where they lie, by name.
        settings: Models, keys and prices.
        context: Fields of `Context` that hold for every question.

    Raises:
        SettingsError: If a name cannot stand in an address.
    """

    def __init__(
        self, bases: Mapping[str, ServedBase], settings: Settings, context: Mapping[str, Any]
    ) -> None:
        for name in bases:
            if not _NAME.fullmatch(name):
                raise SettingsError(
                    f"the name {name!r} cannot stand in an address",
                    hint="use letters, digits, spaces, _, - and .",
                )
        self._settings = settings
        self._context = dict(context)
        self._served = dict(bases)
        self._bases: dict[str, Hoptrail] = {}
        self.is_warm = False

    @property
    def default_preset(self) -> str:
        """The preset of questions that name none."""
        return str(self._context.get("preset", "auto"))

    @property
    def model(self) -> str | None:
        """The chat model, None where none is set."""
        return self._context.get("model") or self._settings.model

    def model_check(self) -> dict[str, float] | None:
        """Return what `hoptrail model check` found of the chat model, None if not checked."""
        try:
            return check_of(self.model)
        except SettingsError:  # the list of models is damaged, which is no matter of the page
            return None

    def names(self, access: Access) -> list[str]:
        """Return the names that an asker may use, in the operator's order."""
        return [name for name in self._bases if access.bases is None or name in access.bases]

    def presets(self, access: Access) -> list[str]:
        """Return the presets that an asker may use."""
        return [name for name in PRESETS if access.presets is None or name in access.presets]

    def find(self, name: str | None, access: Access) -> tuple[str, Hoptrail]:
        """Return a knowledge base by name, the first one without a name.

        Raises:
            UnknownNameError: If there is none of that name for this asker.
        """
        known = self.names(access)
        # Conversations of earlier versions name the only base "default".
        is_only = name is None or name == "default" and len(known) == 1
        if is_only and known:
            name = known[0]
        if name is None or name not in known:
            raise UnknownNameError("base", name or "", known)
        return name, self._bases[name]

    def find_preset(self, name: str | None, access: Access) -> str:
        """Return the preset of a question.

        Raises:
            UnknownNameError: If there is none of that name for this asker.
        """
        known = self.presets(access)
        if name is None:
            return self.default_preset if self.default_preset in known else known[0]
        if name not in known:
            raise UnknownNameError("preset", name, known)
        return name

    def describe(self, access: Access, *, writable: bool) -> list[JsonDict]:
        """Return name and size of each base that an asker may use; blocking."""
        return [self._description(name, access, writable) for name in self.names(access)]

    def open(self) -> None:
        """Open all of them with their embedders, before any request comes; blocking.

        Raises:
            HoptrailError: If a base cannot be opened with its embedder.
        """
        listed = self._settings.model_copy(update={"knowledge_bases": self._served})
        opened: dict[ServedBase, Hoptrail] = {}
        for name, base in self._served.items():  # two names of one base share what is open
            if base not in opened:
                opened[base] = Hoptrail.open(name, settings=listed, **self._context)
            self._bases[name] = opened[base]
        for one in opened.values():
            one.knowledge_base  # noqa: B018 - the embedder is loaded by looking

    async def warm_up(self) -> None:
        """Load the rest of what questions need; a base that cannot is told by its questions."""
        for name, base in self._bases.items():
            try:
                await asyncio.to_thread(base.warm_up)
            except HoptrailError as error:
                _log.warning("knowledge base %s: %s", name, error)
            except Exception:
                _log.exception("knowledge base %s", name)
        self.is_warm = True

    def close(self) -> None:
        """Close all of them."""
        for base in set(self._bases.values()):
            base.close()

    def _description(self, name: str, access: Access, writable: bool) -> JsonDict:
        base = self._bases[name]
        told = {"name": name, "writable": writable}
        if access.filter is not None:
            # Counts and subject of the whole would tell of documents that are not to be seen.
            shown = base.documents(limit=0, filter=access.filter)
            unknown = dict.fromkeys(("passages", "entities", "relations"))
            return {**told, "documents": shown["total"], **unknown, "description": ""}
        info = base.info()
        counts = {kind: info["counts"][kind] for kind in ("documents", "entities", "relations")}
        passages = info["counts"]["chunks"]
        return {**told, **counts, "passages": passages, "description": info["description"]}
