"""Read what `--reader` says about the oracle."""

from __future__ import annotations

from dataclasses import dataclass

from hoptrail.core.errors import SettingsError
from hoptrail.eval.oracle.noise import Noise

_FORM = "use oracle or oracle:noise=0.1"


@dataclass(frozen=True, slots=True)
class ReaderSpecification:
    """An oracle that flips the share `noise` of its decisions."""

    noise: float = 0.0


def parse_reader(text: str) -> ReaderSpecification:
    """Read `oracle` or `oracle:noise=0.1`.

    Raises:
        SettingsError: If it reads otherwise, or the noise is no number from 0 to 1.
    """
    name, colon, option = text.strip().partition(":")
    if name != "oracle":
        raise SettingsError(f"unknown reader {text!r}", hint=_FORM)
    if not colon:
        return ReaderSpecification()
    setting, _, value = option.partition("=")
    if setting.strip() != "noise":
        raise SettingsError(f"the oracle reader has no option {option!r}", hint=_FORM)
    try:
        noise = Noise(float(value))
    except ValueError as error:
        raise SettingsError(f"noise {value!r} is no number", hint=_FORM) from error
    return ReaderSpecification(noise.share)
