"""Small models that `hoptrail model get NAME` downloads; the table is of November 2026.

Sizes and SHA-256 are those of the files that the hub had then; another file of that name is
refused.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A file of the Hugging Face hub; `note` says what it is good for."""

    name: str
    repository: str
    file: str
    size: int
    sha256: str
    licence: str
    note: str


PUBLISHED = (
    PublishedModel(
        "qwen2.5-1.5b",
        "Qwen/Qwen2.5-1.5B-Instruct-GGUF",
        "qwen2.5-1.5b-instruct-q4_k_m.gguf",
        1_117_320_736,
        "6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
        "Apache-2.0",
        "for two cores without a GPU",
    ),
    PublishedModel(
        "qwen2.5-coder-1.5b",
        "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        1_117_320_768,
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        "Apache-2.0",
        "made for programs; the one that docs/local.md measures",
    ),
    PublishedModel(
        "qwen3-4b",
        "Qwen/Qwen3-4B-GGUF",
        "Qwen3-4B-Q4_K_M.gguf",
        2_497_280_256,
        "7485fe6f11af29433bc51cab58009521f205840f5b4ae3a32fa7f92e8534fdf5",
        "Apache-2.0",
        "for eight cores, or a GPU of 4 GB",
    ),
)


def published(name: str) -> PublishedModel | None:
    """Return the model of a name, None where the table has none."""
    return next((one for one in PUBLISHED if one.name == name), None)
