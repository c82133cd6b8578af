from typing import Any

import pytest

from hoptrail.cli.run_request import check_run
from hoptrail.core.errors import HoptrailError


@pytest.mark.parametrize(
    "request_",
    [
        {"input": {"question": "Who?"}},
        {"input": {"messages": [{"role": "user", "content": "Who?"}]}},
        {"input": {"messages": {"type": "human", "content": [{"type": "text", "text": "Who?"}]}}},
        {"input": None, "command": {"resume": "yes"}},
        {"input": {"question": "Who?"}, "context": {"k": 3, "model": None}},
        {"input": {"question": "Who?"}, "context": None},
        [],
    ],
)
def test_what_the_graph_can_use_passes(request_: Any) -> None:
    check_run(request_)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"input": {"question": 5}}, "no text but a number"),
        ({"input": {"question": ["Who?"]}}, "no text but a list"),
        ({"input": {"question": {"text": "Who?"}}}, "no text but an object"),
        ({"input": "Who?"}, "the input is no object"),
        ({"input": {"qestion": "Who?"}}, "did you mean 'question'"),
        ({"input": {"messages": 5}}, "the messages cannot be read"),
        ({"input": {"messages": [{"role": "king", "content": "Who?"}]}}, "cannot be read"),
        ({"input": {"messages": [{"content": "Who?"}]}}, "cannot be read"),
        ({"context": {"hopps": 3}}, "did you mean 'hops'"),
        ({"context": {"base_url": "http://x"}}, "unknown context field 'base_url'"),
        ({"context": {"preset": "magic"}}, "unknown preset 'magic'"),
        ({"context": {"retriever": "kett"}}, "did you mean 'ket'"),
        ({"context": {"knowledge_base": "/etc"}}, "unknown knowledge base '/etc'"),
        ({"context": {"parameters": {"alpha": []}}}, "context field parameters.alpha"),
    ],
)
def test_what_it_cannot_is_said_in_one_line(request_: Any, message: str) -> None:
    with pytest.raises(HoptrailError) as caught:
        check_run(request_)

    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
