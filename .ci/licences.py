"""Lists the licences of everything that Hoptrail and its extras require, and refuses the GPL.

    python .ci/licences.py [FILE]

reads the installed packages of this environment, writes a table to FILE or to stdout, and ends with
1 where a package is under the GPL or the AGPL, or names no licence. What is not installed for this
system is left out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# Packages that tell nothing that a program can read.
_STATED = {
    "cuda-toolkit": "NVIDIA Proprietary Software",
    "py-rust-stemmers": "MIT License",  # its file LICENSE
}
_CLASSIFIER = "License :: OSI Approved :: "
_LONGEST = 60
_REFUSED = re.compile(r"(?<!L)(?<!Lesser )(?:A?GPL|General Public License)", re.IGNORECASE)


def main() -> int:
    """Write the table; return 1 where a licence is refused."""
    extras = metadata.metadata("hoptrail").get_all("Provides-Extra") or []
    shipped = [extra for extra in extras if extra not in {"dev", "test"}]
    rows = {name: licence_of(name) for name in sorted(closure("hoptrail", shipped) - {"hoptrail"})}
    lines = ["| package | version | licence |", "| --- | --- | --- |"]
    lines += [f"| {name} | {metadata.version(name)} | {told} |" for name, told in rows.items()]
    text = "\n".join(lines) + "\n"
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(_PAGE + text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    refused = [name for name, told in rows.items() if not any(map(_is_free, _choices(told)))]
    for name in refused:
        sys.stderr.write(f"{name}: {rows[name] or 'no licence is named'}\n")
    return 1 if refused else 0


_PAGE = """# Licences of what Hoptrail requires

Hoptrail itself is under the Apache Licence 2.0. `make licences` writes this table from the packages
of `constraints.txt` that are installed with all extras on Linux; none is under the GPL or the AGPL
alone. The extras `serve` (Elastic Licence 2.0 of the LangGraph server) and `graph-llm` (libraries
of NVIDIA, which torch takes on a machine with their GPU) bring what is not free software.

"""


def closure(name: str, extras: Iterable[str] = ()) -> set[str]:
    """Return the installed packages that a package with extras requires, itself included."""
    found: set[str] = set()
    waiting = [(canonicalize_name(name), frozenset(extras))]
    seen = set()
    while waiting:
        package, wanted = waiting.pop()
        if (package, wanted) in seen:
            continue
        seen.add((package, wanted))
        try:
            stated = metadata.requires(package) or []
        except metadata.PackageNotFoundError:
            continue
        found.add(package)
        for line in stated:
            one = Requirement(line)
            markers = [{"extra": extra} for extra in (*wanted, "")]
            if one.marker is None or any(map(one.marker.evaluate, markers)):
                waiting.append((canonicalize_name(one.name), frozenset(one.extras)))
    return found


def _choices(told: str) -> list[str]:
    """Return the licences of which a user may choose one; "AND" joins those that all hold."""
    return re.split(r"\sOR\s|,\s(?!Version)", told)


def _is_free(licence: str) -> bool:
    return bool(licence) and _REFUSED.search(licence) is None


def licence_of(name: str) -> str:
    """Return the licence of an installed package in a few words, empty where none is named."""
    told = metadata.metadata(name)
    if expression := told.get("License-Expression"):
        return expression
    classified = [
        one.removeprefix(_CLASSIFIER)
        for one in told.get_all("Classifier") or []
        if one.startswith(_CLASSIFIER)
    ]
    stated = (told.get("License") or "").strip().partition("\n")[0]
    if classified:
        return ", ".join(dict.fromkeys(classified))
    return stated[:_LONGEST] or _STATED.get(name, "")


if __name__ == "__main__":
    sys.exit(main())
