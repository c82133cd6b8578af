"""The public sets by name."""

from __future__ import annotations

from collections.abc import Callable

from hoptrail.eval.datasets.example import PublicSet
from hoptrail.eval.datasets.hotpotqa import read_hotpotqa
from hoptrail.eval.datasets.metaqa import read_metaqa
from hoptrail.eval.datasets.multihop_rag import read_multihop_rag
from hoptrail.eval.datasets.musique import read_musique
from hoptrail.eval.datasets.origin import Origin
from hoptrail.eval.datasets.rog import read_rog
from hoptrail.eval.datasets.two_wiki import read_two_wiki

DATASETS: dict[str, Callable[[Origin], PublicSet]] = {
    "hotpotqa": read_hotpotqa,
    "musique": read_musique,
    "2wiki": read_two_wiki,
    "metaqa": read_metaqa,
    "webqsp": read_rog("RoG-webqsp"),
    "cwq": read_rog("RoG-cwq"),
    "multihop_rag": read_multihop_rag,
}
