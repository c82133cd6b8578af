"""The one place where errors become an exit code and a line that helps."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import typer

from hoptrail.cli.output import emit_json, tolerate_any_text, warn
from hoptrail.core.errors import CostLimitError, DiskError, HoptrailError

if TYPE_CHECKING:
    import sqlite3

USAGE = 2
FAILED = 1
INTERRUPTED = 130
_CONTINUED = frozenset(
    {
        "index",
        "sync",
        "merge",
        "communities",
        "consolidate",
        "reembed",
        "eval",
        "judge",
        "questions",
        "train",
    }
)
"""Commands that store what they have done on the way."""
_OF_THE_DISK = frozenset(
    {
        errno.EACCES,
        errno.EPERM,
        errno.EROFS,
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EFBIG,
        errno.EIO,
        errno.ENOTDIR,
        errno.EISDIR,
        errno.ENAMETOOLONG,
    }
)
"""Errors of the system that come of a path, of rights or of the disk."""
# The root of typer's errors, just above Exception. It has no public name before typer 0.28.
_TYPER_ERROR: type[Exception] = typer.BadParameter.__mro__[-4]


def run_guarded(app: Callable[..., Any], arguments: Sequence[str]) -> int:
    """Run the command tree and return the exit code; no exception leaves this function."""
    tolerate_any_text(sys.stdout, sys.stderr)
    as_json = _wants_json(arguments)
    resumable = bool(_CONTINUED.intersection(arguments[:1]))
    try:
        code = app(args=list(arguments), prog_name="hoptrail", standalone_mode=False)
        sys.stdout.flush()
        return _interrupted(resumable, as_json) if code == INTERRUPTED else int(code or 0)
    except (KeyboardInterrupt, typer.Abort) as error:
        # Typer takes any EOFError for Ctrl-D; at a prompt, that comes without this cause.
        if isinstance(error.__cause__, EOFError):
            return _unexpected(error.__cause__, as_json)
        return _interrupted(resumable, as_json)
    except BrokenPipeError:
        return _leave_closed_pipe()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else FAILED
    except _TYPER_ERROR as error:
        return _wrong_usage(error, as_json)
    except HoptrailError as error:
        report_error(error, as_json)
        return FAILED
    except Exception as error:
        return _unexpected(error, as_json)


def report_error(error: HoptrailError, as_json: bool) -> None:
    """Print the error as one line, and as the JSON object `error`."""
    details: dict[str, Any] = {"code": error.code, "message": error.message, "hint": error.hint}
    report: dict[str, Any] = {"error": details}
    if isinstance(error, CostLimitError):
        report["resumable"] = True
    _print_failure(error.message, error.hint, report, as_json)


def _print_failure(message: str, hint: str, report: dict[str, Any], as_json: bool) -> None:
    line = f"{message} ({hint})" if hint else message
    warn("error: " + " ".join(line.split()))
    if as_json:
        emit_json(report)


def _wants_json(arguments: Sequence[str]) -> bool:
    options = arguments[: list(arguments).index("--")] if "--" in arguments else arguments
    return "--json" in options


def _wrong_usage(error: Any, as_json: bool) -> int:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "hoptrail"
    told = error.format_message().replace("Value error, ", "", 1)  # what pydantic puts before it
    message = told + _quotes_hint(error, context)
    if not message.strip() or type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(f"{context.get_help() if context is not None else message}\n")
        message = "no command given"
    else:
        warn(f"error: {' '.join(message.split())} (see {command} --help)")
    if as_json:
        hint = f"see {command} --help"
        emit_json({"error": {"code": "usage", "message": message, "hint": hint}})
    return USAGE


def _quotes_hint(error: Any, context: Any) -> str:
    """Return what to do where the words of a question were taken for arguments of their own."""
    if context is None or "unexpected extra argument" not in error.format_message():
        return ""
    if not any(param.name == "question" for param in context.command.params):
        return ""
    return f'; put the question in quotes: {context.command_path} "Who founded the club?"'


def _interrupted(resumable: bool, as_json: bool) -> int:
    hint = "what is done is stored; the same command continues from there" if resumable else ""
    error = {"code": "interrupted", "message": "interrupted", "hint": hint}
    _print_failure("interrupted", hint, {"error": error, "resumable": resumable}, as_json)
    return INTERRUPTED


def _leave_closed_pipe() -> int:
    # The reader went away: a second write at interpreter exit would raise again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILED


def _unexpected(error: Exception, as_json: bool) -> int:
    if os.environ.get("HOPTRAIL_DEBUG") == "1":
        traceback.print_exc()
    disk = _fault_of_disk(error)
    if disk is not None:
        report_error(disk, as_json)
        return FAILED
    message = f"{type(error).__name__}: {error}".rstrip(": ")
    hint = "this is a bug in hoptrail; set HOPTRAIL_DEBUG=1 for the traceback and report it"
    report = {"error": {"code": "internal", "message": message, "hint": hint}}
    _print_failure(message, hint, report, as_json)
    return FAILED


def _fault_of_disk(error: Exception) -> HoptrailError | None:
    """Return what a user can mend of an error that nobody expected there, None if nothing."""
    import sqlite3  # here, since --help needs none

    if isinstance(error, OSError) and error.errno in _OF_THE_DISK:
        place = f"{error.filename}: " if error.filename else ""
        message = f"{place}{error.strerror}"
    elif isinstance(error, sqlite3.Error) and _is_of_the_disk(error):
        message = f"a database cannot be used: {error}"
    else:
        return None
    return DiskError(message, hint="check the path, your rights and the free space")


def _is_of_the_disk(error: sqlite3.Error) -> bool:
    """Return whether SQLite was refused a file, as by a full disk or a missing right."""
    import sqlite3

    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
    }
