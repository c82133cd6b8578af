"""Measures the hierarchy of communities of a graph of 1,293,250 nodes and 3,785,730 triples.

The knowledge base is built once and kept in the cache folder, with cheap vectors, for communities
need none; one that `bench_large.py` left there, or that `--kb` names, is taken as it is. What the
measurement writes is undone. Building and clustering are processes of their own, for the sake of
their peak memory.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from bench import Figure, peak_memory, report
from data_sets import data_folder

TRIPLES = "webqsp/merged_triples.tsv.gz"
SECONDS = 90
MEMORY = 4096  # MiB


def main() -> int:
    """Run the benchmark and print its figures."""
    arguments = parse_arguments()
    if arguments.step == "cluster":
        report(clustering(arguments.kb))
        return 0
    if arguments.step == "build":
        build(data_folder(TRIPLES) / TRIPLES, arguments.kb)
        return 0
    kb = arguments.kb or known_base(arguments.cache)
    if not kb.is_dir():
        data_folder(TRIPLES)
        run("build", kb)
    run("cluster", kb)
    return 0


def parse_arguments() -> argparse.Namespace:
    """Return the command line's arguments."""
    parser = argparse.ArgumentParser(description="Measure the clustering of 3.8 million triples.")
    parser.add_argument(
        "--cache", type=Path, default=Path(tempfile.gettempdir()) / "hoptrail-bench"
    )
    parser.add_argument("--kb", type=Path, help="cluster this knowledge base")
    parser.add_argument("--step", choices=("build", "cluster"), help=argparse.SUPPRESS)
    return parser.parse_args()


def known_base(cache: Path) -> Path:
    """Return the base of `bench_large.py` where that is complete, else this benchmark's own."""
    large = cache / "merged"
    return large / "kb" if (large / "build.json").is_file() else cache / "merged-graph"


def run(step: str, kb: Path) -> None:
    """Run a step in a process of its own."""
    subprocess.run([sys.executable, __file__, "--step", step, "--kb", str(kb)], check=True)


def build(triples: Path, folder: Path) -> None:
    """Import the triples."""
    from hoptrail.cli.progress import show_progress
    from hoptrail.indexing.options import IndexOptions
    from hoptrail.indexing.pipeline import Indexer
    from hoptrail.stores.knowledge_base import KnowledgeBase
    from hoptrail.testing import HashingEmbedder

    options = IndexOptions(extractor="none", triples=(triples,))
    with (
        KnowledgeBase.open(folder, embedder=HashingEmbedder(8), create=True) as kb,
        show_progress() as progress,
    ):
        Indexer(kb, progress=progress).index([], options)


def clustering(folder: Path) -> list[Figure]:
    """Return what the hierarchy of a base takes, from its arrays to its tables."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    from hoptrail.indexing.communities.clustering import cluster, entity_graph
    from hoptrail.stores.knowledge_base import KnowledgeBase

    with KnowledgeBase.open(folder) as base, base.private_copy() as kb:
        graph = entity_graph(kb.index)
        ends = (graph.source, graph.target)
        pairs = coo_array((graph.weight, ends), shape=(graph.nodes, graph.nodes))
        _, component = connected_components(pairs, directed=False)
        before = peak_memory()
        started, processor = time.perf_counter(), time.process_time()
        found = cluster(kb, rebuild=True)
        seconds, processor = time.perf_counter() - started, time.process_time() - processor
    return [
        Figure("graph", f"{graph.nodes:,} entities, {len(graph.source):,} pairs"),
        Figure("largest component", f"{np.bincount(component).max():,} entities"),
        Figure("communities by level", " ".join(f"{count:,}" for count in found.levels)),
        Figure("hierarchy", f"{seconds:.1f} s", f"<= {SECONDS} s"),
        Figure("  processor time", f"{processor:.1f} s"),
        Figure("peak memory", f"{peak_memory():.0f} MiB", f"<= {MEMORY} MiB"),
        Figure("  before clustering", f"{before:.0f} MiB"),
    ]


if __name__ == "__main__":
    sys.exit(main())
