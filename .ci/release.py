"""Makes a release up to its upload: built, checked, and installed in bare environments.

    python .ci/release.py [--extras NAME ...]

Run it by `make release`. It ends with 1 at the first thing that is not in order, and changes
nothing but `dist/`. What it cannot do is said at the end: the tag, and `twine upload`.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
_PROGRAMS = "Scripts" if sys.platform == "win32" else "bin"
LARGEST_WHEEL = 20 * 2**20  # bytes


def main() -> None:
    """Check the version, build, check what was built, install it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--extras", nargs="*", help="install these alone; else each of all")
    extras = parser.parse_args().extras
    version = stated_version()
    check_changelog(version)
    if run("git", "status", "--porcelain"):
        fail("there are changes that are not committed", "git status shows them")
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        tools = environment(Path(folder) / "tools", "build", "twine")
        run(str(tools), "-m", "build", "--outdir", str(DIST), str(ROOT))
        run(str(tools), "-m", "twine", "check", "--strict", *map(str, sorted(DIST.iterdir())))
        (wheel,) = DIST.glob("*.whl")
        check_size(wheel)
        for extra in all_extras() if extras is None else extras:
            install(wheel, extra, version, Path(folder) / extra)
        install(wheel, "", version, Path(folder) / "bare")
    tell(f"""
{wheel.name} is in order. What is left, in this order:

    git tag -a v{version} -m "Hoptrail {version}"
    git push origin v{version}
    python -m twine upload dist/*
""")


def stated_version() -> str:
    """Return the version of the package, the one place where it stands."""
    text = (ROOT / "src" / "hoptrail" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "([^"]+)"$', text, re.MULTILINE)
    return found[1] if found else fail("no version", "src/hoptrail/__init__.py is to state it")


def check_changelog(version: str) -> None:
    """End where the changelog does not begin with the version, under a date."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    first = re.search(r"^## (.+)$", text, re.MULTILINE)
    if first is None or not re.fullmatch(
        rf"\[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d", first[1]
    ):
        fail(f"CHANGELOG.md does not begin with {version}", f"write ## [{version}] - DATE")


def check_size(wheel: Path) -> None:
    """End where the wheel is larger than one should be."""
    size = wheel.stat().st_size
    tell(f"{wheel.name}: {size / 2**20:.1f} MiB")
    if size > LARGEST_WHEEL:
        fail("the wheel is too large", "unzip -l shows what it holds")


def all_extras() -> list[str]:
    """Return the names of the extras that users install."""
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [name for name in stated["optional-dependencies"] if name not in {"dev", "test"}]


def install(wheel: Path, extra: str, version: str, home: Path) -> None:
    """Install the wheel with one extra in an environment of its own, and start it."""
    wanted = f"{wheel}[{extra}]" if extra else str(wheel)
    python = environment(home, "--constraint", str(ROOT / "constraints.txt"), wanted)
    told = run(str(python), "-m", "hoptrail", "--version").strip()
    if told != f"hoptrail {version}":
        fail(f"the installed one says {told!r}", "the version stands in src/hoptrail/__init__.py")
    run(str(python), "-m", "hoptrail", "presets")
    tell(f"installed {f'with [{extra}]' if extra else 'without an extra'}")
    shutil.rmtree(home)


def environment(home: Path, *packages: str) -> Path:
    """Return the Python of a fresh environment with packages."""
    venv.create(home, with_pip=True)
    python = home / _PROGRAMS / "python"
    run(str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return python


def run(*command: str) -> str:
    """Return what a command prints; its error ends the release."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        fail(f"{' '.join(command[:4])} failed", (done.stdout + done.stderr).strip()[-2_000:])
    return done.stdout


def tell(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)


def fail(what: str, hint: str) -> str:
    """End with what is not in order, and what to do."""
    sys.exit(f"{what}: {hint}")


if __name__ == "__main__":
    main()
