"""The commonest words of a language: they tell the language of a text, and little of its subject.

The lists are those of jusText, which reads web pages in a hundred languages by them.
"""

from __future__ import annotations

from functools import lru_cache

from hoptrail.core.language.names import english_name, without_accents


@lru_cache(maxsize=32)
def stop_words(language: str) -> frozenset[str]:
    """Return the commonest words of a language, lower-cased; none where jusText has no list.

    Args:
        language: ISO 639 code, such as "de".
    """
    from justext import get_stoplist

    name = without_accents(english_name(language)).replace(" ", "_")
    try:
        return frozenset(get_stoplist(name)) if name else frozenset()
    except ValueError:
        return frozenset()
