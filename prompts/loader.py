"""Prompts are files: front matter that declares role and inputs, then one section per message."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoptrail.core.errors import SettingsError, UnknownNameError
from hoptrail.core.language.detection import ENGLISH, question_language
from hoptrail.core.language.stop_words import english_name

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

_IN_LANGUAGE = (
    "\n\nWrite the answer itself in {name}, as the question is, whatever language the evidence is "
    "in; names and quotes stay as they are written. Markers in capitals and the words "
    '"I don\'t know" stay English.'
)
_FILE = re.compile(r"\A---\n(?P<head>.*?)\n---\n(?P<body>.*)\Z", re.DOTALL)
_SECTION = re.compile(r"^# (system|user)[ \t]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt template.

    `inputs` are the names it must be given, in the order of the file; those in `data` are text
    written by others: they are put between tags of their own name, and such tags inside any of
    these texts are made harmless. `sections` are pairs of speaker ("system" or "user") and
    template. `hash` changes with every change of the file.
    """

    name: str
    role: str
    inputs: tuple[str, ...]
    data: frozenset[str]
    sections: tuple[tuple[str, str], ...]
    hash: str

    def render(self, step: int | None = None, /, **inputs: str) -> list[BaseMessage]:
        """Return the messages with the inputs filled in; braces in the inputs mean nothing.

        Each message carries `additional_kwargs["hoptrail"]`: the role of the model that it is
        for, the prompt's name, the question (empty where the prompt has none), and `step` where
        the call is about one sub-question of it.

        Args:
            step: Place of the sub-question in its decomposition, from 0.
            **inputs: Text by input name.

        Raises:
            SettingsError: If an input is missing or not declared; names it.
        """
        from langchain_core.messages import HumanMessage, SystemMessage

        self._check(inputs)
        values = {
            name: _delimit(name, text, self.data) if name in self.data else text
            for name, text in inputs.items()
        }
        metadata: dict[str, Any] = {
            "role": self.role,
            "prompt": self.name,
            "question": inputs.get("question", ""),
        }
        if step is not None:
            metadata["step"] = step
        return [
            (SystemMessage if speaker == "system" else HumanMessage)(
                content=_PLACEHOLDER.sub(lambda match: values[match.group(1)], template)
                + (self._language_line(inputs) if speaker == "system" else ""),
                additional_kwargs={"hoptrail": dict(metadata)},
            )
            for speaker, template in self.sections
        ]

    def _language_line(self, inputs: dict[str, str]) -> str:
        """Return what tells an answerer to write in the language of a question, "" for English."""
        if self.role != "answerer":
            return ""
        language = question_language(inputs.get("question", ""))
        name = english_name(language)
        if language == ENGLISH or not name:
            return ""
        return _IN_LANGUAGE.format(name=name)

    def _check(self, inputs: dict[str, str]) -> None:
        for name in self.inputs:
            if name not in inputs:
                raise SettingsError(f"prompt {self.name!r} needs the input {name!r}")
        for name in inputs:
            if name not in self.inputs:
                declared = ", ".join(self.inputs)
                raise SettingsError(
                    f"prompt {self.name!r} has no input {name!r}", hint=f"it declares: {declared}"
                )


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts of a process: those shipped, and a folder whose files override them by name."""

    overrides_dir: Path | None = None

    def load(self, name: str) -> Prompt:
        """Return the prompt `<name>.md`; a file is read once per process.

        Raises:
            UnknownNameError: If no prompt of that name is shipped.
            SettingsError: If the file is malformed, or an override declares other inputs.
        """
        return _load(name, self.overrides_dir)

    def load_all(self) -> dict[str, Prompt]:
        """Return all prompts by name: checks the folder of overrides before anything runs.

        Raises:
            SettingsError: If the folder is missing, a file is malformed, or a name is not shipped.
        """
        names = prompt_names()
        if self.overrides_dir is not None:
            if not self.overrides_dir.is_dir():
                raise SettingsError(
                    f"no folder of prompts at {self.overrides_dir}",
                    hint="fix the setting prompts_dir",
                )
            for path in sorted(self.overrides_dir.glob("*.md")):
                if path.stem not in names:
                    raise UnknownNameError("prompt", path.stem, names)
        return {name: self.load(name) for name in names}


SHIPPED = Prompts()
"""The prompts as they come with the package."""


@cache
def _load(name: str, overrides_dir: Path | None) -> Prompt:
    shipped = resources.files("hoptrail.prompts").joinpath(f"{name}.md")
    if not shipped.is_file():
        raise UnknownNameError("prompt", name, prompt_names())
    original = parse_prompt(name, shipped.read_text(encoding="utf-8"), f"{name}.md")
    if overrides_dir is None or not (overrides_dir / f"{name}.md").is_file():
        return original
    return _load_override(original, overrides_dir / f"{name}.md")


def prompt_names() -> tuple[str, ...]:
    """Return the names of the shipped prompts, sorted."""
    entries = resources.files("hoptrail.prompts").iterdir()
    return tuple(sorted(entry.name[:-3] for entry in entries if entry.name.endswith(".md")))


def parse_prompt(name: str, text: str, place: str) -> Prompt:
    """Read a prompt file's text; `place` names the file in errors.

    Raises:
        SettingsError: If the form is wrong; says what is missing.
    """
    match = _FILE.match(text.replace("\r\n", "\n"))
    if match is None:
        raise _malformed(place, "no front matter between two lines of ---")
    head = _parse_head(match["head"], place)
    inputs, data = _names(head.get("inputs", "")), frozenset(_names(head.get("data", "")))
    sections = _parse_sections(match["body"])
    if not sections:
        raise _malformed(place, "no section '# system' or '# user'")
    used = {found for _, template in sections for found in _PLACEHOLDER.findall(template)}
    if used != set(inputs):
        wrong = ", ".join(sorted(used ^ set(inputs)))
        raise _malformed(place, f"declared inputs and placeholders differ in: {wrong}")
    if not data <= set(inputs):
        raise _malformed(place, f"data names no input: {', '.join(sorted(data - set(inputs)))}")
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return Prompt(name, head.get("role", ""), inputs, data, sections, digest)


def _load_override(original: Prompt, path: Path) -> Prompt:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _malformed(str(path), f"cannot be read: {error}") from error
    prompt = parse_prompt(original.name, text, str(path))
    if (set(prompt.inputs), prompt.data) != (set(original.inputs), original.data):
        raise SettingsError(
            f"{path}: declares other inputs than the prompt that it replaces",
            hint=f"inputs: [{', '.join(original.inputs)}] data: [{', '.join(original.data)}]",
        )
    if prompt.role != original.role:
        raise SettingsError(f"{path}: the role must be {original.role!r}")
    return prompt


def _parse_head(head: str, place: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for line in head.splitlines():
        key, colon, value = line.partition(":")
        if not colon or key.strip() not in {"role", "inputs", "data"}:
            raise _malformed(place, f"front matter line {line!r} is not role:, inputs: or data:")
        values[key.strip()] = value.strip()
    if not values.get("role"):
        raise _malformed(place, "front matter names no role")
    return values


def _names(value: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in value.strip("[]").split(",") if name.strip())


def _parse_sections(body: str) -> tuple[tuple[str, str], ...]:
    parts = _SECTION.split(body)
    return tuple(
        (speaker, template.strip())
        for speaker, template in zip(parts[1::2], parts[2::2], strict=True)
    )


def _delimit(name: str, text: str, reserved: frozenset[str]) -> str:
    names = "|".join(sorted(map(re.escape, reserved)))
    tag = re.compile(rf"<(\s*/?\s*(?:{names})\b)", re.IGNORECASE)
    harmless = tag.sub(lambda match: f"&lt;{match.group(1)}", text)
    return f"<{name}>\n{harmless}\n</{name}>"


def _malformed(place: str, reason: str) -> SettingsError:
    return SettingsError(f"{place}: {reason}", hint="compare it with the shipped prompt file")
