import copy
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
import torch

from hoptrail.core.errors import InputError
from hoptrail.models.graph_llm.base_model import BaseModel
from hoptrail.models.graph_llm.config import GraphLlamaConfig
from hoptrail.models.graph_llm.graph_input import GraphInput
from hoptrail.models.graph_llm.model import GraphLlama
from hoptrail.testing import HashingEmbedder
from hoptrail.testing.tiny_llama import tiny_base_model

SMALL = GraphLlamaConfig(hidden=16, layers=2, heads=2, projector_hidden=16, graph_tokens=10)
QUESTION = "Who wrote Emma?"
GRAPH = GraphInput.from_triples(
    [
        ("Emma", "author", "Jane Austen"),
        ("Jane Austen", "born_in", "Steventon"),
        ("Emma", "genre", "novel"),
    ]
)
GRAPHS = (
    GRAPH,
    GraphInput.from_triples([("Ulysses", "author", "James Joyce")]),
    GraphInput(nodes=("alone",)),
    GraphInput(),
)

Make = Callable[..., GraphLlama]


def text_of(model: GraphLlama, ids: Sequence[int]) -> str:
    return str(model.base.tokenizer.decode(list(ids)))


@pytest.fixture(scope="module")
def base() -> BaseModel:
    return tiny_base_model()


@pytest.fixture(scope="module")
def make(base: BaseModel) -> Make:
    def make(**choices: object) -> GraphLlama:
        torch.manual_seed(3)
        model = GraphLlama(base, replace(SMALL, **choices), HashingEmbedder(32))  # type: ignore[arg-type]
        return model.eval()

    return make


@pytest.mark.parametrize("encoder", ["gat", "transformer", "constant"])
@pytest.mark.parametrize("readout", ["pointer", "pooled"])
def test_only_the_trained_part_receives_gradients(make: Make, encoder: str, readout: str) -> None:
    model = make(encoder=encoder, readout=readout).train()
    before = copy.deepcopy(model.llm.state_dict())
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=0.1)

    model([model.prepare(QUESTION, GRAPH, ["Jane Austen"])]).total(1.0).backward()
    optimizer.step()

    assert model.graph_tokens is not None
    reached = {name for name, p in model.graph_tokens.named_parameters() if p.grad is not None}
    assert {name.partition(".")[0] for name in reached} >= {"projector"}
    assert all(parameter.grad is None for parameter in model.llm.parameters())
    assert all(torch.equal(value, before[name]) for name, value in model.llm.state_dict().items())


def test_every_part_of_the_encoder_learns(make: Make) -> None:
    model = make().train()

    model([model.prepare(QUESTION, GRAPH, ["Jane Austen"])]).total(1.0).backward()

    assert model.graph_tokens is not None
    silent = {
        name
        for name, parameter in model.graph_tokens.named_parameters()
        if parameter.grad is None or not parameter.grad.any()
    }
    assert silent == {"pooling.empty"}


def test_the_graph_tokens_stand_after_the_first_token(make: Make) -> None:
    model = make()
    item = model.prepare(QUESTION, GRAPH)

    (soft,) = model.soft_prompts([item])

    embedded = model.llm.get_input_embeddings()(torch.tensor(item.prompt.ids))
    assert len(soft) == len(item.prompt.ids) + SMALL.graph_tokens
    assert torch.equal(soft[0], embedded[0])
    assert torch.equal(soft[1 + SMALL.graph_tokens :], embedded[1:])


def test_graph_tokens_depend_on_the_graph(make: Make) -> None:
    model = make(triples=0)
    first, second = model.soft_prompts([model.prepare(QUESTION, graph) for graph in GRAPHS[:2]])

    assert torch.equal(first[11:], second[11:])
    assert not torch.allclose(first[1:11], second[1:11])


def test_constant_tokens_do_not(make: Make) -> None:
    model = make(triples=0, encoder="constant")
    first, second = model.soft_prompts([model.prepare(QUESTION, graph) for graph in GRAPHS[:2]])

    assert torch.equal(first, second)


def test_without_an_encoder_the_prompt_is_the_plain_model_s(make: Make) -> None:
    model = make(encoder="none")
    item = model.prepare(QUESTION, GRAPH)

    (soft,) = model.soft_prompts([item])

    assert torch.equal(soft, model.llm.get_input_embeddings()(torch.tensor(item.prompt.ids)))


@pytest.mark.parametrize("readout", ["pointer", "pooled"])
def test_batched_and_single_graphs_give_the_same_tokens(make: Make, readout: str) -> None:
    model = make(readout=readout)
    inputs = [model.prepare(QUESTION, graph) for graph in GRAPHS]

    together = model.soft_prompts(inputs)

    for item, soft in zip(inputs, together, strict=True):
        assert torch.allclose(model.soft_prompts([item])[0], soft, atol=1e-5)


def test_batched_and_single_replies_agree(make: Make) -> None:
    model = make()
    inputs = [model.prepare(QUESTION, graph) for graph in GRAPHS]

    together = model.generate(inputs, max_new_tokens=12)

    assert together == [model.generate([item], max_new_tokens=12)[0] for item in inputs]


def test_cached_replies_equal_those_of_whole_prompts(make: Make) -> None:
    model = make()
    item = model.prepare(QUESTION, GRAPH)
    (soft,) = model.soft_prompts([item])
    ids: list[int] = []
    with torch.inference_mode():
        for _ in range(12):
            tail = model.llm.get_input_embeddings()(torch.tensor(ids, dtype=torch.long))
            logits = model.llm(inputs_embeds=torch.cat([soft, tail])[None], use_cache=False).logits
            ids.append(int(logits[0, -1].argmax()))
            if ids[-1] in model.eos_ids:
                break

    expected = str(model.base.tokenizer.decode(ids, skip_special_tokens=True)).strip()
    assert model.generate([item], max_new_tokens=12) == [expected]


@pytest.mark.parametrize(
    ("place", "encoder"), [("start", "gat"), ("end", "gat"), ("end", "constant"), ("end", "none")]
)
def test_the_loss_is_that_of_the_answer_s_tokens_in_the_whole_prompts(
    make: Make, place: str, encoder: str
) -> None:
    model = make(place=place, encoder=encoder)
    inputs = [model.prepare(QUESTION, graph, ["Jane Austen"]) for graph in GRAPHS]
    expected = []
    for item, soft in zip(inputs, model.soft_prompts(inputs), strict=True):
        target = torch.tensor(item.target)
        whole = torch.cat([soft, model.llm.get_input_embeddings()(target)])[None]
        logits = model.llm(inputs_embeds=whole).logits[0, len(soft) - 1 : -1]
        expected.append(torch.nn.functional.cross_entropy(logits, target).item())

    for _ in range(2):  # the texts are read, then known
        assert model(inputs).language.item() == pytest.approx(sum(expected) / 4, abs=1e-5)


def test_with_graph_tokens_at_the_end_the_gradient_is_that_of_the_whole_prompt(make: Make) -> None:
    gradients = []
    for keeps_texts in (True, False):
        model = make(place="end")
        if not keeps_texts:
            model._texts = None
        model([model.prepare(QUESTION, GRAPH, ["Jane Austen"])]).total(1.0).backward()
        assert model.graph_tokens is not None
        gradients.append([parameter.grad for parameter in model.graph_tokens.parameters()])

    torch.testing.assert_close(*gradients, atol=1e-6, rtol=1e-4)


def gradients_and_saved(model: GraphLlama) -> tuple[list[torch.Tensor], int]:
    """Return the gradients of a step, and how many values were kept for them."""
    saved: list[int] = []
    torch.manual_seed(0)  # of dropout

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        saved.append(tensor.numel())
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        loss = model.train()([model.prepare(QUESTION, GRAPH, ["Jane Austen"])]).total(1.0)
    loss.backward()
    found = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    return found, sum(saved)


def test_gradient_checkpoints_keep_less_and_give_the_same_gradients() -> None:
    results = []
    for is_checkpointed in (False, True):
        torch.manual_seed(3)
        model = GraphLlama(tiny_base_model(layers=6), SMALL, HashingEmbedder(32))
        assert not is_checkpointed or model.checkpoint_gradients()
        results.append(gradients_and_saved(model))
    (usual, kept), (checkpointed, kept_then) = results
    torch.testing.assert_close(checkpointed, usual)
    assert kept_then < kept / 2


def test_where_the_text_is_read_beforehand_there_is_nothing_to_checkpoint(make: Make) -> None:
    assert not make(place="end").checkpoint_gradients()


def test_a_text_is_read_once(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    model = make(place="end")
    item = model.prepare(QUESTION, GRAPH, ["Jane Austen"])
    model([item])
    read: list[int] = []
    model.llm.get_decoder().register_forward_pre_hook(
        lambda module, given, named: read.append(named["inputs_embeds"].shape[1]),
        with_kwargs=True,
    )

    model([item])

    assert read == [len(item.prompt.ids) - item.prompt.graph_at + 10 + len(item.target)]


def test_the_target_ends_the_reply(make: Make) -> None:
    model = make()
    target = model.prepare(QUESTION, GRAPH, ["Jane Austen"]).target

    assert target[-1] in model.eos_ids
    assert text_of(model, target[:-1]) == " Jane Austen"


def test_answer_nodes_are_found_by_name(make: Make) -> None:
    graph = make().prepare(QUESTION, GRAPH, ["jane  AUSTEN"]).graph

    assert graph is not None
    assert graph.node_is_answer.tolist() == [name == "Jane Austen" for name in GRAPH.nodes]


def test_a_pointer_learns_the_answer_nodes(make: Make) -> None:
    model = make()
    assert model.graph_tokens is not None
    inputs = [
        model.prepare(QUESTION, GRAPH, ["Jane Austen"]),
        model.prepare("Where was Jane Austen born?", GRAPH, ["Steventon"]),
    ]
    optimizer = torch.optim.AdamW(model.graph_tokens.parameters(), lr=0.01)
    for _ in range(60):
        loss = model.node_loss(inputs)
        assert loss is not None
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()

    assert model.node_loss(inputs).item() < 0.1  # type: ignore[union-attr]


def test_a_pointer_names_a_node_of_each_graph(make: Make) -> None:
    model = make().eval()
    other = GraphInput.from_triples([("Ribe", "in", "Jutland")])
    inputs = [model.prepare(QUESTION, graph) for graph in (GRAPH, None, other, GraphInput((), ()))]

    first, *rest = model.point(inputs)

    assert first in GRAPH.nodes
    assert rest[1] in other.nodes
    assert (rest[0], rest[2]) == ("", "")


def test_without_a_pointer_no_node_is_named(make: Make) -> None:
    model = make(readout="pooled").eval()
    assert model.point([model.prepare(QUESTION, GRAPH)]) == [""]


def test_a_node_name_cannot_hold_control_tokens(make: Make) -> None:
    model = make()
    graph = model.prepare(QUESTION, GraphInput.from_triples([("A<|im_end|>", "in", "B")])).graph
    assert graph is not None
    (end,) = model.base.token_ids("<|im_end|>")
    assert end not in graph.name_ids


def test_node_loss_is_none_without_a_pointer(make: Make) -> None:
    model = make(readout="pooled")
    assert model.node_loss([model.prepare(QUESTION, GRAPH, ["Jane Austen"])]) is None


def test_a_prompt_beyond_the_window_loses_triples_and_keeps_the_graph_tokens(make: Make) -> None:
    model = make(triples=100)
    large = GraphInput.from_triples([(f"city {n}", "near", f"town {n}") for n in range(100)])

    (soft,) = model.soft_prompts([model.prepare(QUESTION, large)])
    item = model.prepare(QUESTION, large)

    text = text_of(model, item.prompt.ids)
    assert len(soft) == len(item.prompt.ids) + SMALL.graph_tokens
    assert len(soft) + 32 <= model.base.context_length
    assert "city 0 | near | town 0\n" in text
    assert "| town 99" not in text
    assert text.split("\nQuestion")[0].splitlines()[-1].count("|") == 2


def test_a_question_beyond_the_window_is_refused(make: Make) -> None:
    with pytest.raises(InputError, match="tokens with its prompt"):
        make().prepare("why " * 2000, GRAPH)


def test_the_text_form_has_so_many_triples(make: Make) -> None:
    model = make(triples=2)
    text = text_of(model, model.prepare(QUESTION, GRAPH).prompt.ids)

    assert "Emma | author | Jane Austen\nJane Austen | born in | Steventon\nQuestion:" in text


def test_a_question_without_its_text_keeps_graph_and_target(make: Make) -> None:
    model = make()
    item = model.prepare(QUESTION, GRAPH, ["Jane Austen"])

    bare = item.without_text()

    assert "Emma |" not in text_of(model, bare.prompt.ids)
    assert (bare.graph, bare.target) == (item.graph, item.target)


def test_trained_state_restores_the_tokens(make: Make) -> None:
    model, other = make(), make()
    assert other.graph_tokens is not None
    for parameter in other.graph_tokens.parameters():
        torch.nn.init.normal_(parameter)
    item = model.prepare(QUESTION, GRAPH)

    other.load_trained_state(model.trained_state())

    assert torch.equal(other.soft_prompts([item])[0], model.soft_prompts([item])[0])


def test_trained_state_holds_nothing_of_the_base(make: Make) -> None:
    model = make()
    assert model.graph_tokens is not None
    names = set(model.trained_state())
    assert names == {f"graph_tokens.{name}" for name in model.graph_tokens.state_dict()}
