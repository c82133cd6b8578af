from __future__ import annotations

import pytest
import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM

from hoptrail.core.errors import InputError
from hoptrail.models.graph_llm.decoding import ContinuousDecoder, DecodedToken, decode_all
from hoptrail.models.graph_llm.generation import SamplingOptions, sample

HIDDEN = 32
CONTEXT = 128
LENGTHS = (5, 1, 9, 3, 70)


def tiny_llama() -> LlamaForCausalLM:
    torch.manual_seed(3)
    config = LlamaConfig(
        vocab_size=97,
        hidden_size=HIDDEN,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=CONTEXT,
        eos_token_id=None,
        initializer_range=0.3,
    )
    llm: LlamaForCausalLM = LlamaForCausalLM(config).eval()
    return llm


@pytest.fixture(scope="module")
def llm() -> LlamaForCausalLM:
    return tiny_llama()


def prompts(lengths: tuple[int, ...] = LENGTHS) -> list[Tensor]:
    generator = torch.Generator().manual_seed(7)
    return [torch.randn(length, HIDDEN, generator=generator) for length in lengths]


def reference(llm: LlamaForCausalLM, prompt: Tensor, tokens: int) -> list[int]:
    """Return Hugging Face's own greedy reply."""
    reply = llm.generate(  # type: ignore[misc]
        inputs_embeds=prompt[None],
        attention_mask=torch.ones(1, len(prompt), dtype=torch.long),
        max_new_tokens=tokens,
        do_sample=False,
        pad_token_id=0,
    )
    ids: list[int] = reply[0].tolist()
    return ids


def collect(decoder: ContinuousDecoder[str], replies: dict[str, list[int]]) -> None:
    for token in decoder.step():
        replies.setdefault(token.key, []).append(token.token_id)


def test_one_request_gets_the_tokens_of_generate(llm: LlamaForCausalLM) -> None:
    for prompt in prompts():
        assert decode_all(llm, [prompt], (), SamplingOptions(12)) == [reference(llm, prompt, 12)]


def test_a_batch_of_unequal_prompts_gets_the_tokens_of_one_by_one(llm: LlamaForCausalLM) -> None:
    expected = [reference(llm, prompt, 12) for prompt in prompts()]
    assert decode_all(llm, prompts(), (), SamplingOptions(12)) == expected


def test_requests_that_join_and_leave_change_no_other(llm: LlamaForCausalLM) -> None:
    first, second, third, fourth, long = prompts()
    decoder = ContinuousDecoder[str](llm, ())
    replies: dict[str, list[int]] = {}
    decoder.add("first", first, SamplingOptions(20))
    decoder.add("second", second, SamplingOptions(3))
    collect(decoder, replies)
    decoder.add("third", third, SamplingOptions(9))
    collect(decoder, replies)
    decoder.add("long", long, SamplingOptions(20))
    collect(decoder, replies)
    decoder.add("fourth", fourth, SamplingOptions(5))
    decoder.remove("third")
    while len(decoder):
        collect(decoder, replies)
    assert replies == {
        "first": reference(llm, first, 20),
        "second": reference(llm, second, 3),
        "third": reference(llm, third, 2),
        "fourth": reference(llm, fourth, 5),
        "long": reference(llm, long, 20),
    }


@pytest.mark.parametrize("most_running", [1, 2])
def test_what_does_not_fit_waits_its_turn(llm: LlamaForCausalLM, most_running: int) -> None:
    expected = [reference(llm, prompt, 6) for prompt in prompts()]
    options = SamplingOptions(6)
    assert decode_all(llm, prompts(), (), options, most_running=most_running) == expected


@pytest.mark.parametrize("most_tokens", [1, 40, 100, 200])
def test_requests_that_would_take_too_much_room_wait(
    llm: LlamaForCausalLM, most_tokens: int
) -> None:
    decoder = ContinuousDecoder[int](llm, (), most_tokens=most_tokens)
    for number, prompt in enumerate(prompts()):
        decoder.add(number, prompt, SamplingOptions(20))
    replies: dict[int, list[int]] = {}
    while len(decoder):
        for token in decoder.step():
            replies.setdefault(token.key, []).append(token.token_id)
        longest = max((LENGTHS[key] + 20 for key in replies if len(replies[key]) < 20), default=0)
        assert decoder.running == 1 or decoder.running * longest <= most_tokens
    assert [replies[key] for key in range(5)] == [reference(llm, p, 20) for p in prompts()]


def test_a_step_prefills_no_more_than_its_share(llm: LlamaForCausalLM) -> None:
    decoder = ContinuousDecoder[int](llm, (), prefill_tokens=10)
    for number, prompt in enumerate(prompts((5, 5, 5, 70))):
        decoder.add(number, prompt, SamplingOptions(9))
    assert [[token.key for token in decoder.step()] for _ in range(3)] == [
        [0, 1],
        [0, 1, 2],
        [0, 1, 2, 3],
    ]


def test_a_removed_request_never_starts(llm: LlamaForCausalLM) -> None:
    decoder = ContinuousDecoder[str](llm, ())
    decoder.add("gone", prompts()[0])
    decoder.remove("gone")
    assert (decoder.step(), len(decoder)) == ([], 0)


def test_an_end_token_ends_the_reply(llm: LlamaForCausalLM) -> None:
    prompt = prompts()[0]
    expected = reference(llm, prompt, 8)
    end = expected[4]
    decoder = ContinuousDecoder[int](llm, {end})
    decoder.add(0, prompt, SamplingOptions(8))
    tokens = [token for _ in range(5) for token in decoder.step()]
    assert tokens[expected.index(end)] == DecodedToken(0, end, "stop")
    assert decode_all(llm, [prompt], {end}, SamplingOptions(8)) == [expected[: expected.index(end)]]


def test_the_context_ends_the_reply(llm: LlamaForCausalLM) -> None:
    prompt = prompts((CONTEXT - 3,))[0]
    assert len(decode_all(llm, [prompt], (), SamplingOptions(50))[0]) == 3


def test_equal_seeds_give_equal_draws_whoever_runs_beside(llm: LlamaForCausalLM) -> None:
    first, second, *_ = prompts()
    options = SamplingOptions(10, temperature=1.0, top_p=0.9, seed=5)
    alone = decode_all(llm, [first], (), options)
    assert decode_all(llm, [second, first], (), options)[1:] == alone


def test_other_seeds_give_other_draws(llm: LlamaForCausalLM) -> None:
    drawn = {
        tuple(decode_all(llm, prompts()[:1], (), SamplingOptions(8, 1.0, seed=seed))[0])
        for seed in range(5)
    }
    assert len(drawn) > 1


def test_top_p_draws_from_the_nucleus_alone() -> None:
    logits = torch.tensor([0.45, 0.1, 0.35, 0.1]).log()
    generator = torch.Generator().manual_seed(0)
    options = SamplingOptions(temperature=1.0, top_p=0.7)
    assert {sample(logits, options, generator) for _ in range(200)} == {0, 2}


def test_bfloat16_runs_in_the_models_own_type() -> None:
    llm = tiny_llama().to(torch.bfloat16)  # type: ignore[arg-type]
    replies = decode_all(llm, prompts(), (), SamplingOptions(6))
    assert [len(reply) for reply in replies] == [6] * len(LENGTHS)


def test_eager_attention_gives_the_same_tokens(llm: LlamaForCausalLM) -> None:
    expected = decode_all(llm, prompts(), (), SamplingOptions(6))
    eager = tiny_llama()
    eager.set_attn_implementation("eager")
    assert decode_all(eager, prompts(), (), SamplingOptions(6)) == expected


def overflowing_llama() -> LlamaForCausalLM:
    """Return a model that overflows for prompts with a first coordinate; its tokens have none."""
    llm = tiny_llama()
    with torch.no_grad():
        llm.model.layers[0].self_attn.v_proj.weight[:, 0] = 3e38
        llm.model.embed_tokens.weight[:, 0] = 0
    return llm


def test_an_overflow_ends_its_own_request_and_leaves_nothing_behind() -> None:
    llm = overflowing_llama()
    broken, sound, later, *_ = prompts()
    for prompt in (sound, later):
        prompt[:, 0] = 0
    decoder = ContinuousDecoder[str](llm, ())
    decoder.add("broken", broken, SamplingOptions(4))
    decoder.add("sound", sound, SamplingOptions(4))
    tokens = decoder.step()
    decoder.add("later", later, SamplingOptions(4))
    while len(decoder):
        tokens += decoder.step()
    replies = {key: [t.token_id for t in tokens if t.key == key] for key in ("sound", "later")}
    assert tokens[0] == DecodedToken("broken", -1, "error")
    assert replies == {"sound": reference(llm, sound, 4), "later": reference(llm, later, 4)}


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        (torch.zeros(0, HIDDEN), "does not fit"),
        (torch.zeros(4, HIDDEN + 1), "does not fit"),
        (torch.zeros(4), "does not fit"),
        (torch.zeros(CONTEXT, HIDDEN), "the context holds 128"),
        (torch.full((4, HIDDEN), torch.nan), "NaN"),
    ],
)
def test_prompts_that_cannot_be_read_are_refused(
    llm: LlamaForCausalLM, prompt: Tensor, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        ContinuousDecoder[int](llm, ()).add(0, prompt)


def test_a_reply_ends_with_the_window_of_a_layer() -> None:
    llm = tiny_llama()
    llm.config.sliding_window = 8
    decoder = ContinuousDecoder[int](llm, ())
    with pytest.raises(InputError, match="the context holds 8"):
        decoder.add(0, torch.zeros(8, llm.config.hidden_size))
