"""Gold facts that a reader judged not stated by the sentence with their object."""

from __future__ import annotations

JUDGED_OUT = frozenset(
    """64614fc8 b6640a18 c22255a7 51a35ca2 90ee6f37 5cb8fc61 51a15f78 2003f08b 93215aae 79d89124
    132dcbaf 3294ff43 1d0b3334 5cfab5e1""".split()
)
"""The last parts of claims' ids.

"His estates included Lathom House in Lancashire" does not state a place of death.
"""
