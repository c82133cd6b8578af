"""`Hoptrail`: one knowledge base with everything that can be done with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from hoptrail.api.contents import Contents
from hoptrail.api.maintenance import Maintenance
from hoptrail.api.open_base import KnowledgeBaseHandle, checked_context
from hoptrail.api.questions import Questions
from hoptrail.api.reader_feedback import ReaderFeedback
from hoptrail.core.embedding import Embedder
from hoptrail.core.errors import UnknownNameError
from hoptrail.core.filter_text import FilterForm
from hoptrail.core.progress import Progress
from hoptrail.core.settings import Settings, load_settings
from hoptrail.core.types import JsonDict
from hoptrail.core.unknown_variables import log_unknown_variables
from hoptrail.models.embedder import as_embedder
from hoptrail.stores.records.folder import WriterLock, prepare_folder

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.tools import BaseTool


class Hoptrail(Maintenance, Questions, ReaderFeedback, Contents):
    """Answers questions over one knowledge base and maintains it.

    Open it with `Hoptrail.open`, best in a `with` statement. Every question method takes the
    fields of `hoptrail.graphs.context.Context` as keyword arguments; what is left out holds as
    given to `open`.

    To open one loads no more than the store: LangGraph, LangChain and the embedder are imported by
    the first method that needs them.
    """

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        create: bool = False,
        writable: bool = False,
        settings: Settings | None = None,
        embedder: str | Embedder | Embeddings | None = None,
        embedder_name: str | None = None,
        **context: Any,
    ) -> Self:
        """Open a knowledge base.

        Args:
            path: Its folder, or a name that the settings list.
            create: Make a missing or empty folder a new knowledge base.
            writable: Keep the writer's lock until `close`, so that nobody else writes meanwhile.
                It is not needed for `index` and whatever else changes the base: each call takes
                the lock for itself, and opens the base again, which takes a moment.
            settings: Models, keys and prices; else read from `hoptrail.toml` and `HOPTRAIL_*`.
            embedder: Makes vectors, in place of the settings' embedder: a LangChain `Embeddings`,
                an embedder of your own, or a name such as `openai:text-embedding-3-small`.
            embedder_name: Name by which the base knows a LangChain `Embeddings`; else that of its
                provider and model, or its class.
            **context: Fields of `Context` that hold for every question.

        Raises:
            KnowledgeBaseError: If the folder holds none, or it cannot be opened.
            UnknownNameError: If a context field or preset does not exist.
        """
        if settings is None:
            log_unknown_variables()
            settings = load_settings()
        served = settings.base_of(path)
        folder = served.records.resolve()
        defaults = checked_context({"knowledge_base": str(folder), **context})
        handle = KnowledgeBaseHandle(
            served,
            defaults.knowledge_base,
            str(path),
            settings,
            writable=writable,
            create=create,
            embedder=_embedder(embedder, settings, embedder_name),
        )
        return cls(handle, settings, defaults)

    def tools(
        self, *names: str, filter: FilterForm | None = None, prefix: str = ""
    ) -> list[BaseTool]:
        """Return LangChain tools over this knowledge base, for agents of your own.

        Without names they are four that a model uses well: `ask`, `search`, `explore` and `read`.
        Their texts have at most 1,500 tokens; a mistake in a call is told to the model.

        Args:
            *names: Others by name, such as `retrieve_ppr` or `read_reports`: the single steps that
                Hoptrail's own graph takes.
            filter: Documents that they reach, as a text or in JSON form; by default as given to
                `open`. No argument of a call reaches others.
            prefix: Put before the names of the four with an underscore, to tell the tools of
                several knowledge bases apart.

        Raises:
            UnknownNameError: If there is no tool of a name; it lists those that there are.
        """
        from hoptrail.api.agent_tools import make_agent_tools, tell_mistakes
        from hoptrail.tools.registry import make_tools

        wanted = self._filter(filter)
        form = None if wanted is None else wanted.to_json()
        known = make_agent_tools(self, filter=form, prefix=prefix)
        if not names:
            return list(known.values())
        steps = make_tools(self._allowed(wanted), self._ordering_settings())
        known |= {name: tell_mistakes(tool) for name, tool in steps.items()}
        for name in names:
            if name not in known:
                raise UnknownNameError("tool", name, known)
        return [known[name] for name in names]

    def _ordering_settings(self) -> Settings:
        """Return the settings with the reranker that was given to `open`, if one was."""
        reranker = self._defaults.reranker
        return self._settings.model_copy(update={"reranker": reranker} if reranker else {})

    @classmethod
    def restore(cls, file: str | Path, path: str | Path) -> list[str]:
        """Make a new knowledge base of a file that `backup` wrote.

        Args:
            file: The backup.
            path: A new or empty folder.

        Returns:
            The names of the databases that were restored.

        Raises:
            InputError: If the file is no backup, or damaged.
            KnowledgeBaseError: If the folder holds something, or cannot be written.
        """
        from hoptrail.stores.records.backup import restore_backup

        restored = restore_backup(Path(file), Path(path))
        cls.open(path).close()
        return restored

    @classmethod
    def repair(
        cls,
        path: str | Path,
        *,
        dry_run: bool = False,
        max_usd: float | None = None,
        settings: Settings | None = None,
        embedder: str | Embedder | Embeddings | None = None,
        progress: Progress | None = None,
    ) -> JsonDict:
        """Make a damaged knowledge base whole again, as far as its files tell what was in it.

        Every document and passage is checked by its hash. What cannot be read any more is left out,
        graph and arrays are made anew, and the files as they were go to a folder within the base.
        Where nothing is wrong, nothing is changed. No chat model is called; reports of communities
        are kept for the next `communities`.

        Args:
            path: Its folder, or a name that the settings list.
            dry_run: Only tell what is wrong.
            max_usd: What vectors of a served embedder may cost, where some are lost.
            settings: As in `open`.
            embedder: As in `open`.
            progress: Observer of the stages.

        Returns:
            `faults`, the first one of each file; `documents`, how many are there; `mended`, ids of
            those of which one damaged text was brought back from another; `lost`, ids of those that
            are to be indexed again; `unread`, how many passages are to be read again; `unreadable`,
            files of conversations or feedback that begin anew; `set_aside`, the folder with the
            files as they were, None where nothing was changed.

        Raises:
            KnowledgeBaseError: If the database cannot be read at all, or there is no room.
            KnowledgeBaseLockedError: If another process writes.
        """
        from hoptrail.stores.records.salvage import examine, salvage

        chosen = settings or load_settings()
        folder = chosen.base_of(path).records.resolve()
        prepare_folder(folder, create=False)
        if dry_run:
            return examine(folder).to_json()
        lock = WriterLock(folder)
        try:
            kept = salvage(folder)
        finally:
            lock.release()
        with cls.open(path, settings=settings, embedder=embedder) as hoptrail:
            hoptrail._derive(max_usd, progress)
        return kept.to_json()


def _embedder(
    given: str | Embedder | Embeddings | None, settings: Settings, name: str | None
) -> str | Embedder | None:
    """Return an embedder to be loaded on first need by its name, or the given one."""
    return given if given is None or isinstance(given, str) else as_embedder(given, settings, name)
