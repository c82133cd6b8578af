"""Invented questions in the forms in which the public sets are published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HOTPOT: dict[str, Any] = {
    "_id": "h1",
    "question": "On which river lies the town of the Vell Mill?",
    "answer": "Arn",
    "type": "bridge",
    "level": "hard",
    "supporting_facts": [["Vell Mill", 1], ["Toren", 0]],
    "context": [
        ["Vell Mill", ["Vell Mill grinds rye.", " It stands in Toren."]],
        ["Ostry", ["Ostry is a village."]],
        ["Toren", ["Toren lies on the Arn."]],
    ],
}
MUSIQUE: dict[str, Any] = {
    "id": "2hop__1_2",
    "question": "On which river lies the town of the Vell Mill?",
    "answer": "Arn",
    "answer_aliases": ["the Arn"],
    "answerable": True,
    "question_decomposition": [
        {"id": 1, "question": "Vell Mill >> town", "answer": "Toren", "paragraph_support_idx": 1},
        {"id": 2, "question": "#1 >> river", "answer": "Arn", "paragraph_support_idx": 0},
    ],
    "paragraphs": [
        {
            "idx": 0,
            "title": "Toren",
            "paragraph_text": "Toren lies on the Arn.",
            "is_supporting": True,
        },
        {
            "idx": 1,
            "title": "Vell Mill",
            "paragraph_text": "Vell Mill stands in Toren.",
            "is_supporting": True,
        },
        {
            "idx": 2,
            "title": "Ostry",
            "paragraph_text": "Ostry is a village.",
            "is_supporting": False,
        },
    ],
}
ROG: dict[str, Any] = {
    "id": "WebQTest-1",
    "question": "who runs vell mill",
    "answer": ["Ann Lee"],
    "q_entity": ["Vell Mill"],
    "a_entity": ["Ann Lee"],
    "graph": [["Vell Mill", "mill.owner", "Ann Lee"], ["Ann Lee", "person.home", "Toren"]],
    "choices": [],
}
NEWS: dict[str, Any] = {
    "query": "Do both papers report the fire at Vell Mill?",
    "answer": "Yes",
    "question_type": "comparison_query",
    "evidence_list": [
        {"title": "Fire", "source": "Post", "fact": "A fire broke out."},
        {"title": "Smoke", "source": "Herald", "fact": "Smoke rose."},
    ],
}
ARTICLES = [
    {"title": "Fire", "source": "Post", "body": "A fire broke out. Nobody was hurt."},
    {"title": "Smoke", "source": "Herald", "body": "Smoke rose. It was grey."},
    {"title": "Rain", "source": "Post", "body": "It rained."},
]


def write_json(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def write_lines(path: Path, *rows: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def write_metaqa(folder: Path) -> Path:
    """Write two hops of MetaQA with their graph."""
    texts = {
        "kb.txt": "Oak|directed_by|Ann Lee\nOak|release_year|1990\nElm|directed_by|Ann Lee\n",
        "1-hop/vanilla/qa_dev.txt": "who directed [Oak]\tAnn Lee\n",
        "1-hop/qa_dev_qtype.txt": "movie_to_director\n",
        "2-hop/vanilla/qa_dev.txt": "when did movies by [Ann Lee] come out\t1990|1991\n",
        "2-hop/qa_dev_qtype.txt": "director_to_movie_to_year\n",
    }
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder
