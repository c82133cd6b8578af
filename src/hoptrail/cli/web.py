"""`hoptrail web`: the page, and the protocol of chat clients; `hoptrail key`: its API keys."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hoptrail.cli import options
from hoptrail.cli.output import STATUS, emit_json, warn
from hoptrail.cli.serve import ANY_ADDRESS, require_free_port, served_bases, url_of
from hoptrail.core.errors import SettingsError

if TYPE_CHECKING:
    from hoptrail.core.settings import Settings
    from hoptrail.web.options import WebOptions

PORT = 8077
_PACKAGES = ("fastapi", "uvicorn", "prometheus_client")


class UploadExtractor(StrEnum):
    """How uploaded documents are read."""

    NLP = "nlp"
    LLM = "llm"
    AUTO = "auto"
    NONE = "none"


def web(
    kb: Annotated[
        list[str] | None,
        typer.Option("--kb", metavar="[NAME=]DIR", help="Knowledge base to show; repeatable."),
    ] = None,
    host: options.Host = "127.0.0.1",
    port: options.Port = PORT,
    data: Annotated[
        Path, typer.Option("--data", metavar="DIR", help="Folder for threads, uploads and logs.")
    ] = Path("hoptrail-web"),
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser.")
    ] = False,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Let nobody upload or delete documents.")
    ] = False,
    extractor: Annotated[
        UploadExtractor,
        typer.Option("--extractor", help="Reads uploads; llm and auto may cost money."),
    ] = UploadExtractor.NLP,
    beta: options.Beta = options.MODELS_SHARE,
    allow_host: options.AllowHost = None,
    root_path: Annotated[
        str,
        typer.Option("--root-path", metavar="PATH", help="Path under which a proxy shows it."),
    ] = "",
    public_url: Annotated[
        str | None,
        typer.Option("--public-url", metavar="URL", help="Address of the page, for links."),
    ] = None,
    sources: Annotated[
        bool, typer.Option("--sources/--no-sources", help="List sources for chat clients.")
    ] = True,
    largest_upload: Annotated[
        int, typer.Option("--largest-upload", metavar="MIB", min=1, help="Size of a file.")
    ] = 50,
    at_once: Annotated[
        int, typer.Option("--at-once", metavar="N", min=1, help="Questions answered at once.")
    ] = 16,
    grace: options.Grace = options.GRACE_SECONDS,
    preset: options.Preset = None,
    model: options.Models = None,
    assignments: options.Assignments = None,
    seed: options.Seed = None,
    as_json: options.AsJson = False,
) -> None:
    """Show a page to ask and browse, and answer chat clients.

    Threads and uploads last. On another address than this machine's own, each request needs an
    API key (hoptrail key). Ctrl-C and SIGTERM let running answers finish.
    """
    from hoptrail.core.settings import load_settings
    from hoptrail.web.options import WebOptions

    _require_packages()
    settings = load_settings()
    bases = served_bases(kb or [], settings)
    require_free_port(host, port)
    chosen = WebOptions(
        bases=bases,
        data=data,
        rules=_rules(host, [*settings.allowed_hosts, *(allow_host or [])]),
        requires_key=_requires_key(host, settings),
        read_only=read_only,
        context=options.context_fields(assignments, models=model, preset=preset, seed=seed),
        extractor=extractor.value,
        beta=beta,
        upload_bytes=largest_upload * 1024 * 1024,
        at_once=at_once,
        lists_sources=sources,
        public_url=public_url,
    )
    run_web(
        chosen,
        settings,
        host=host,
        port=port,
        root_path=root_path,
        grace=grace,
        open_page=open_page,
        as_json=as_json,
    )


def run_web(
    chosen: WebOptions,
    settings: Settings,
    *,
    host: str,
    port: int,
    root_path: str = "",
    grace: float = options.GRACE_SECONDS,
    open_page: bool = False,
    as_json: bool = False,
) -> None:
    """Serve until stopped; say where, and open the page if asked for."""
    from hoptrail.web.application import create_app
    from hoptrail.web.keys import keys_of_settings
    from hoptrail.web.server import GracefulServer

    app = create_app(chosen, settings, read_keys=keys_of_settings)
    url = f"{url_of(host, port)}/"

    def tell() -> None:
        STATUS.forbid()
        if open_page:
            _open_page(url)
        if as_json:
            names = {name: str(base.records) for name, base in chosen.bases.items()}
            emit_json({"url": url, "knowledge_bases": names})
            return
        warn(f"{', '.join(chosen.bases)} on {url}, Ctrl-C stops")
        is_open = not settings.keys and settings.sign_on is None
        warn(f"for chat clients: {url}v1{', any key' if is_open else ''}")
        if chosen.rules.hosts and is_open:
            hosts = ", ".join(sorted(chosen.rules.hosts))
            warn(f"warning: called by {hosts} without a key; let the proxy ask for a login")

    proxies = [] if settings.sign_on is None else [str(one) for one in settings.sign_on.proxies]
    GracefulServer(
        app,
        host=host,
        port=port,
        root_path=root_path,
        grace=grace,
        proxies=proxies,
        when_started=tell,
    ).run()


def chat_on_page(kb: str, context: dict[str, Any], *, as_json: bool) -> None:
    """Show the page over one knowledge base and open it, on the first free port.

    Args:
        kb: Folder or name of the base.
        context: Fields of `Context` that hold for every question.
        as_json: Whether the address is printed as JSON.
    """
    from hoptrail.core.settings import load_settings
    from hoptrail.web.options import DATA, WebOptions

    _require_packages()
    settings = load_settings()
    name = kb if kb in settings.knowledge_bases else Path(kb).resolve().name
    only = settings.model_copy(update={"knowledge_bases": {name: settings.base_of(kb)}})
    bases = served_bases([], only)
    chosen = WebOptions(bases=bases, data=DATA, context=context)
    run_web(chosen, settings, host="127.0.0.1", port=_free_port(), open_page=True, as_json=as_json)


def _free_port() -> int:
    """Return the usual port, or another one where that is taken."""
    import socket

    try:
        require_free_port("127.0.0.1", PORT)
    except SettingsError:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])
    return PORT


def _require_packages() -> None:
    from hoptrail.core.optional import require

    for package in _PACKAGES:
        require(package, extra="web", purpose="hoptrail web")


def _requires_key(host: str, settings: Settings) -> bool:
    from hoptrail.web.origin_rules import LOOPBACK

    if host in LOOPBACK:
        return False
    if not settings.keys and settings.sign_on is None:
        raise SettingsError(
            f"{host} is reachable from other machines, and no API key is set",
            hint="make one with: hoptrail key NAME; or set sign_on",
        )
    return True


def _rules(host: str, names: list[str]) -> Any:
    from hoptrail.web.origin_rules import LOOPBACK, OriginRules, read_host

    known = {read_host(name) for name in names}
    if host not in ANY_ADDRESS and host not in LOOPBACK:
        known.add(host.lower())
    return OriginRules(frozenset(known), any_address=host in ANY_ADDRESS)


def _open_page(url: str) -> None:
    """Open the page from a thread: some browsers return only when they are closed."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def key(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Who is to hold it.")],
    as_json: options.AsJson = False,
) -> None:
    """Make an API key for hoptrail web, and print what hoptrail.toml is to hold of it.

    The key itself is printed once and stored nowhere; the file gets its hash. A running server
    takes up a changed hoptrail.toml by itself.
    """
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
