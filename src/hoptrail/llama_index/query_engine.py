"""Hoptrail's answers as a LlamaIndex query engine."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import Response
from llama_index.core.callbacks import CallbackManager
from llama_index.core.schema import QueryBundle

from hoptrail.api import Hoptrail
from hoptrail.api.checked_context import checked_context
from hoptrail.core.types import Answer
from hoptrail.llama_index.nodes import nodes_of_answer


class HoptrailQueryEngine(BaseQueryEngine):
    """Answers questions with Hoptrail: the model is Hoptrail's own, or none.

    `response.metadata` is the answer as `hoptrail ask --json` prints it, the `trail` included;
    `response.source_nodes` are the quotes behind its steps, or, where there is no answer, the
    passages nearest to the question. `str(response)` is the answer's text; one that is given with
    reserve ends with a line "perhaps: ..." that says why.

    Args:
        hoptrail: The open knowledge base; it has to stay open.
        callback_manager: LlamaIndex's.
        **context: Fields of `Context` that hold for every question, such as `preset` and `filter`.

    Raises:
        UnknownNameError: If a field, the preset or the retriever does not exist.
        SettingsError: If a field has a value that it cannot have.
    """

    def __init__(
        self,
        hoptrail: Hoptrail,
        *,
        callback_manager: CallbackManager | None = None,
        **context: Any,
    ) -> None:
        # A mistake is told here, not at the first question.
        chosen = checked_context(context)
        if chosen.retriever is not None:
            parameters: dict[str, Any] = dict(chosen.parameters)
            hoptrail.retriever(chosen.retriever, filter=chosen.filter, **parameters)
        self._hoptrail = hoptrail
        self._context = context
        super().__init__(callback_manager=callback_manager)

    def _query(self, query_bundle: QueryBundle) -> Response:
        return _response(self._hoptrail.ask(query_bundle.query_str, **self._context))

    async def _aquery(self, query_bundle: QueryBundle) -> Response:
        return _response(await self._hoptrail.aask(query_bundle.query_str, **self._context))

    def _get_prompt_modules(self) -> dict[str, Any]:
        return {}


def _response(answer: Answer) -> Response:
    reserve = f"\n\nperhaps: {answer.perhaps_reason}" if answer.perhaps else ""
    return Response(
        response=f"{answer.text}{reserve}",
        source_nodes=nodes_of_answer(answer),
        metadata=answer.to_contract(),
    )
