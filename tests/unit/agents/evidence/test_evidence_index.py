from __future__ import annotations

import pytest

from hoptrail.agents.evidence.evidence_index import section_topic


@pytest.mark.parametrize(
    ("heading", "topic"),
    [
        ("## Old Granary", "Old Granary"),
        ("2. The Curlew", "Curlew"),
        ("Opening hours", ""),
        ("### 2.1 History", ""),
        ("# Town Guide", ""),
        ("Water pump", ""),
    ],
)
def test_a_section_is_about_the_thing_its_heading_names(heading: str, topic: str) -> None:
    assert section_topic(heading, "Town guide") == topic
