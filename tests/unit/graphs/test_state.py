from hoptrail.core.types import NodeUsage
from hoptrail.graphs.state import State, add_usage, fresh_turn, total_usage


def test_usage_of_a_node_that_runs_twice_adds_up() -> None:
    once = {"answer": NodeUsage(llm_calls=1, prompt_tokens=10).to_json()}

    both = add_usage(once, once)

    assert both["answer"] == {"llm_calls": 2, "prompt_tokens": 20}
    assert NodeUsage.from_json(both["answer"]) == NodeUsage(llm_calls=2, prompt_tokens=20)


def test_total_sums_the_nodes_and_takes_the_wall_clock_of_the_turn() -> None:
    by_node = {
        "route": NodeUsage(llm_calls=1, seconds=2.0).to_json(),
        "answer": NodeUsage(llm_calls=1, seconds=3.0).to_json(),
    }

    usage = total_usage(by_node, seconds=4.0)

    assert (usage.llm_calls, usage.seconds, usage.by_node["answer"].seconds) == (2, 4.0, 3.0)


def test_fresh_turn_resets_every_channel_but_input_and_account() -> None:
    update = fresh_turn("Who?", started_at=1.0)

    kept = {"messages", "question", "usage", "notes", "degraded"}
    assert set(update) == set(State.__annotations__) - kept
