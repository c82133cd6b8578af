import pytest

from hoptrail.core.errors import SettingsError
from hoptrail.models.graph_llm.server.options import options_for
from hoptrail.testing.tiny_llama import tiny_base_model

BASE = tiny_base_model()


def test_replies_leave_half_of_a_small_context_window() -> None:
    options = options_for(BASE, "tiny", body_bytes=1000, edges=60)
    assert (BASE.context_length, options.reply_tokens) == (1024, 512)


def test_replies_that_leave_no_room_for_a_prompt_are_refused() -> None:
    with pytest.raises(SettingsError, match="--max-tokens 512"):
        options_for(BASE, "tiny", reply_tokens=513, body_bytes=1000, edges=60)


def test_a_graph_may_be_a_path_of_all_its_edges() -> None:
    assert options_for(BASE, "tiny", body_bytes=1000, edges=60).nodes == 61
