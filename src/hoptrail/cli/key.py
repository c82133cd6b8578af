"""`hoptrail key`: makes an API key for `hoptrail web`."""

from __future__ import annotations

from typing import Annotated

import typer

from hoptrail.cli import options


def key(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who is to hold it.")],
    as_json: options.AsJson = False,
) -> None:
    """Make an API key for hoptrail web, and print what hoptrail.toml is to hold of it.

    The key itself is printed once and stored nowhere; the file gets its hash. A running server
    takes up a changed hoptrail.toml by itself.
    """
    from hoptrail.cli.output import emit_json, warn
    from hoptrail.web.new_key import make_key

    secret, digest = make_key(name)
    if as_json:
        emit_json({"name": name, "key": secret, "sha256": digest})
        return
    warn("give the holder this key; add the lines below to hoptrail.toml:")
    warn(f"  {secret}")
    typer.echo(
        f'[keys.{name}]\nsha256 = "{digest}"\n'
        '# bases = ["articles"]\n# presets = ["offline"]\n# filter = "source = public"\n'
        "# requests_per_minute = 60\n# usd_per_day = 1.0\n# writes = true\n# reviews = true"
    )
