"""A frozen language model that reads a subgraph twice: as text, and as learned graph tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from typing import Self

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch_geometric.data import Data
from transformers.modeling_layers import GradientCheckpointingLayer

from hoptrail.core.embedding import Embedder
from hoptrail.core.errors import SettingsError
from hoptrail.core.text import name_key
from hoptrail.models.graph_llm.architecture import free_memory, language_head
from hoptrail.models.graph_llm.base_model import BaseModel
from hoptrail.models.graph_llm.config import NAME_TOKENS, GraphLlamaConfig
from hoptrail.models.graph_llm.decoding import decode_all
from hoptrail.models.graph_llm.encoder import GraphBatch
from hoptrail.models.graph_llm.encoding import GraphVectorizer, ReadTexts, TextStates, padded
from hoptrail.models.graph_llm.example import TARGET_TOKENS, target_text
from hoptrail.models.graph_llm.generation import SamplingOptions
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.graph_tokens import (
    add_low_rank,
    load_low_rank,
    low_rank_state,
    make_graph_tokens,
)
from hoptrail.models.graph_llm.prompt import TASK, PromptIds, question_prompt, turn_frame
from hoptrail.models.graph_llm.readout import Losses, pointer_loss

_IGNORED = -100
_TRAINED = "graph_tokens."
_ADAPTERS = "low_rank."


@dataclass(frozen=True, slots=True)
class ModelInput:
    """A question as the model takes it.

    Attributes:
        prompt: The tokenised prompt.
        graph: The subgraph as vectors; None for a prompt without graph tokens.
        target: Token ids of the reply that is learned, its end included; empty where none is.
        bare: The prompt without the text form of a graph; None for the same.
    """

    prompt: PromptIds
    graph: Data | None = None
    target: tuple[int, ...] = ()
    bare: PromptIds | None = None

    def without_text(self) -> Self:
        """Return the question with its graph as tokens alone."""
        return self if self.bare is None else replace(self, prompt=self.bare)


class GraphLlama(nn.Module):
    """A causal language model, frozen, behind a trained graph encoder.

    The graph's tokens stand after the first token of the prompt, before the text form of the
    subgraph and the question, or behind them. Only encoder, projector and, where asked for,
    low-rank adapters train.

    Source: "Graph-augmented LLaMA", steps 4 to 6.

    Args:
        base: The language model.
        config: What is built around it.
        embedder: Makes the vectors of the graphs' texts.
    """

    def __init__(self, base: BaseModel, config: GraphLlamaConfig, embedder: Embedder) -> None:
        super().__init__()
        if config.low_rank:
            add_low_rank(base.llm, config.low_rank, layers=config.low_rank_layers)
        self.base = base
        self.config = config
        self.embedder = embedder
        self.llm = base.llm
        self.vectorizer = GraphVectorizer(embedder, lambda text: base.token_ids(base.as_data(text)))
        start, name_at = self._start()
        self.graph_tokens = make_graph_tokens(config, embedder.dim, start=start, name_at=name_at)
        if self.graph_tokens is not None:
            self.graph_tokens.to(self.device)
        self._checkpoints_gradients = False
        keeps_texts = config.place == "end" and not config.low_rank
        room = free_memory(torch.device("cpu")) // 4
        self._texts = TextStates(self.llm, room) if keeps_texts else None

    @property
    def device(self) -> torch.device:
        """Where the language model is."""
        return self._embeddings.weight.device

    @property
    def _embeddings(self) -> nn.Embedding:
        embeddings = self.llm.get_input_embeddings()
        if not isinstance(embeddings, nn.Embedding):
            raise SettingsError(f"the base model {self.base.name} has no table of embeddings")
        return embeddings

    def train(self, mode: bool = True) -> Self:
        """Set the trained part to training; the frozen model's dropout stays off."""
        super().train(mode)
        if not self.config.low_rank:
            self.llm.eval()
        if self._checkpoints_gradients:
            for layer in self._checkpointed_layers():
                layer.training = mode  # of the layer alone: dropout within it stays off
        return self

    def checkpoint_gradients(self) -> bool:
        """Keep only what enters a layer for the gradient, and compute the layer again for it.

        It costs a third of the time of a step and saves most of its memory.

        Returns:
            Whether it does: not where the text before the graph tokens is read beforehand, of which
            nothing is kept anyway.
        """
        if self._texts is None:
            # Its name before transformers 5.23.
            enable = getattr(self.llm, "activation_checkpointing_enable", None)
            (enable or self.llm.gradient_checkpointing_enable)({"use_reentrant": False})
            self._checkpoints_gradients = True
        return self._checkpoints_gradients

    def _checkpointed_layers(self) -> list[nn.Module]:
        return [part for part in self.llm.modules() if isinstance(part, GradientCheckpointingLayer)]

    def room(self, reply_tokens: int) -> int:
        """Return how many tokens a prompt may have beside the graph's and the reply's."""
        return self.base.context_length - reply_tokens - self.config.graph_tokens

    def prompt_tokens(self, item: ModelInput) -> int:
        """Return how many tokens the prompt of a question has, those of its graph included."""
        reads_graph = item.graph is not None and self.graph_tokens is not None
        return len(item.prompt.ids) + (self.config.graph_tokens if reads_graph else 0)

    @property
    def keeps_texts(self) -> bool:
        """Whether the text before the graph tokens is read once and not in each step."""
        return self._texts is not None

    def step_tokens(self, item: ModelInput) -> int:
        """Return how many tokens of a question with its target a training step computes."""
        known = item.prompt.graph_at if self.keeps_texts else 0
        return self.prompt_tokens(item) - known + len(item.target)

    def prepare(
        self,
        question: str,
        graph: GraphInput | None,
        answers: Sequence[str] = (),
        *,
        reply_tokens: int = TARGET_TOKENS,
    ) -> ModelInput:
        """Return a question as the model takes it.

        Args:
            question: The question.
            graph: Its subgraph, edges best first; None for none.
            answers: The gold answers, to learn from.
            reply_tokens: Room that is left for the reply.

        Raises:
            InputError: If the question is too long, or the graph's vectors do not fit.
        """
        return self.prepare_all([(question, graph, answers)], reply_tokens=reply_tokens)[0]

    def prepare_all(
        self,
        items: Sequence[tuple[str, GraphInput | None, Sequence[str]]],
        *,
        reply_tokens: int = TARGET_TOKENS,
    ) -> list[ModelInput]:
        """Return many questions with graphs and answers; each distinct text is embedded once."""
        sees = self.graph_tokens is not None
        seen = [(question, graph) for question, graph, _ in items if sees and graph is not None]
        encoded = iter(self.vectorizer.encode_all(seen))
        room = self.room(reply_tokens)
        return [
            ModelInput(
                self._prompt(question, graph, self.config.triples, room),
                None if graph is None or not sees else _with_answers(next(encoded), answers),
                self._target(answers, graph),
                self._prompt(question, graph, 0, room),
            )
            for question, graph, answers in items
        ]

    def soft_prompts(self, inputs: Sequence[ModelInput]) -> list[Tensor]:
        """Return each prompt as embeddings, graph tokens in place, shape (length, embedding)."""
        embeddings = self._embeddings
        tokens, _ = self._read([item.graph for item in inputs])
        return [
            _inserted(embeddings(self._ids(item.prompt.ids)), own, item.prompt.graph_at)
            for item, own in zip(inputs, tokens, strict=True)
        ]

    def forward(self, inputs: Sequence[ModelInput]) -> Losses:
        """Return the losses of a batch whose inputs have targets and graphs of any size."""
        embeddings = self._embeddings
        tokens, nodes = self._read([item.graph for item in inputs])
        prompts = [item.prompt for item in inputs]
        texts = None
        if self._texts is not None:
            texts = self._texts.read([prompt.before_graph for prompt in prompts])
        sequences, labels = [], []
        for item, own in zip(inputs, tokens, strict=True):
            target = self._ids(item.target)
            known = 0 if texts is None else item.prompt.graph_at
            ids = self._ids(item.prompt.ids[known:])
            prompt = _inserted(embeddings(ids), own, item.prompt.graph_at - known)
            sequences.append(torch.cat([prompt, embeddings(target)]))
            labels.append(torch.cat([target.new_full((len(prompt),), _IGNORED), target]))
        return Losses(self._language_loss(sequences, labels, texts), nodes)

    def node_loss(self, inputs: Sequence[ModelInput]) -> Tensor | None:
        """Return how badly the pointer finds the answer nodes; the language model is not run.

        None where the model has no pointer, or no graph of the batch holds an answer.
        """
        pointed = self._pointed([item.graph for item in inputs if item.graph is not None])
        if pointed is None:
            return None
        batch, found = pointed
        return pointer_loss(found, batch.node_is_answer, batch)

    @torch.inference_mode()
    def point(self, inputs: Sequence[ModelInput]) -> list[str]:
        """Return the name of each graph's likeliest node; the language model is not run.

        It is empty where there is no graph, no node or no pointer.
        """
        graphs = [item.graph for item in inputs if item.graph is not None]
        pointed = self._pointed(graphs)
        if pointed is None:
            return [""] * len(inputs)
        _, found = pointed
        of_graphs = iter(torch.split(found, [len(graph.node_text) for graph in graphs]))
        return [
            "" if item.graph is None else _likeliest(item.graph.node_text, next(of_graphs))
            for item in inputs
        ]

    @torch.inference_mode()
    def generate(self, inputs: Sequence[ModelInput], *, max_new_tokens: int = 32) -> list[str]:
        """Return the replies, each token the likeliest."""
        replies = decode_all(
            self.llm,
            self.soft_prompts(inputs),
            self.eos_ids,
            SamplingOptions(max_new_tokens=max_new_tokens),
        )
        decode = self.base.tokenizer.decode
        return [str(decode(ids, skip_special_tokens=True)).strip() for ids in replies]

    @property
    def eos_ids(self) -> frozenset[int]:
        """Tokens that end a reply."""
        configured = self.llm.generation_config.eos_token_id if self.llm.generation_config else None
        several = configured if isinstance(configured, list) else [configured]
        own = self.base.tokenizer.eos_token_id
        return frozenset(token for token in (*several, own) if isinstance(token, int))

    def trained_state(self) -> dict[str, Tensor]:
        """Return the tensors that training changes, by name, on the processor."""
        state: dict[str, Tensor] = {}
        if self.graph_tokens is not None:
            for name, value in self.graph_tokens.state_dict().items():
                state[_TRAINED + name] = value.detach().cpu()
        if self.config.low_rank:
            for name, value in low_rank_state(self.llm).items():
                state[_ADAPTERS + name] = value.detach().cpu()
        return state

    def load_trained_state(self, state: Mapping[str, Tensor]) -> None:
        """Set what `trained_state` returned; names and shapes must be the same."""
        own = {
            name.removeprefix(_TRAINED): value
            for name, value in state.items()
            if name.startswith(_TRAINED)
        }
        if self.graph_tokens is not None:
            self.graph_tokens.load_state_dict(own)
        if self.config.low_rank:
            load_low_rank(
                self.llm,
                {
                    name.removeprefix(_ADAPTERS): value
                    for name, value in state.items()
                    if name.startswith(_ADAPTERS)
                },
            )

    @torch.no_grad()
    def _start(self) -> tuple[Tensor, int]:
        """Return embeddings that the graph tokens start from, and the place of a pointed name.

        They are a turn that says the answer, as far as there are tokens for it: a frozen model
        reads a name there better than one without context.
        """
        count, frame = self.config.graph_tokens, turn_frame(self.base)
        named = min(NAME_TOKENS, count)
        before = frame.before[: count - named]
        after = frame.after[: count - named - len(before)]
        task = cycle(self.base.token_ids(TASK))
        spare = tuple(islice(task, count - named - len(before) - len(after)))
        ids = (*before, *islice(task, named), *after, *spare)
        embeddings: Tensor = self._embeddings(self._ids(ids))
        return embeddings.float().cpu(), len(before)

    def _prompt(
        self, question: str, graph: GraphInput | None, triples: int, room: int
    ) -> PromptIds:
        place = self.config.place
        return question_prompt(self.base, question, graph, triples=triples, room=room, place=place)

    def _target(self, answers: Sequence[str], graph: GraphInput | None) -> tuple[int, ...]:
        if not answers:
            return ()
        text = target_text(answers, graph, lambda part: len(self.base.token_ids(part)))
        end = self.base.tokenizer.eos_token_id
        return (*self.base.token_ids(f" {text}"), *([end] if isinstance(end, int) else []))

    def _read(self, graphs: Sequence[Data | None]) -> tuple[list[Tensor | None], Tensor | None]:
        """Return each graph's tokens, None where there is no graph, and the pointer's loss."""
        present = [graph for graph in graphs if graph is not None]
        if self.graph_tokens is None or not present:
            return [None] * len(graphs), None
        batch = GraphBatch.of(present, self.device)
        read = self.graph_tokens(batch, self._embeddings)
        rows = iter(read.tokens)
        found = read.probabilities
        nodes = None if found is None else pointer_loss(found, batch.node_is_answer, batch)
        return [None if graph is None else next(rows) for graph in graphs], nodes

    def _pointed(self, graphs: Sequence[Data]) -> tuple[GraphBatch, Tensor] | None:
        """Return graphs as a batch with their nodes' probabilities; None without a pointer."""
        if self.graph_tokens is None or not graphs:
            return None
        batch = GraphBatch.of(graphs, self.device)
        found = self.graph_tokens.probabilities(batch)
        return None if found is None else (batch, found)

    def _language_loss(
        self, sequences: list[Tensor], labels: list[Tensor], texts: ReadTexts | None
    ) -> Tensor:
        """Return the loss of sequences, which continue the texts where there are any."""
        inputs, mask, positions = padded(sequences)
        if texts is not None:
            mask = torch.cat([texts.mask, mask], dim=1)
            positions = positions + texts.lengths[:, None]
        states = self.llm.get_decoder()(
            inputs_embeds=inputs,
            attention_mask=mask,
            position_ids=positions,
            past_key_values=None if texts is None else texts.cache,
            use_cache=texts is not None,
        ).last_hidden_state
        gold = torch.nn.utils.rnn.pad_sequence(
            labels, batch_first=True, padding_value=_IGNORED, padding_side="left"
        )
        # Logits of the answer's places alone: those of a whole prompt would take the most room.
        is_answer = gold[:, 1:] != _IGNORED
        logits = language_head(self.llm)(states[:, :-1][is_answer])
        return cross_entropy(logits.float(), gold[:, 1:][is_answer])

    def _ids(self, ids: Sequence[int]) -> Tensor:
        return torch.tensor(ids, dtype=torch.long, device=self.device)


def _inserted(prompt: Tensor, tokens: Tensor | None, place: int) -> Tensor:
    if tokens is None:
        return prompt
    return torch.cat([prompt[:place], tokens.to(prompt.dtype), prompt[place:]])


def _likeliest(names: Sequence[str], probabilities: Tensor) -> str:
    return names[int(probabilities.argmax())] if names else ""


def _with_answers(graph: Data, answers: Sequence[str]) -> Data:
    keys = {name_key(answer) for answer in answers}
    is_answer = [bool(name) and name_key(name) in keys for name in graph.node_text]
    graph.node_is_answer = torch.tensor(is_answer, dtype=torch.bool)
    return graph
