"""Becomes a Milvus server: run by milvus_server.py with the Python that has the wheel `milvus`."""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path

import milvus


def main(folder: Path, port: int, metrics_port: int) -> None:
    """Lay out the server's files in a folder, and run it in place of this process."""
    server = milvus.MilvusServer()
    server.set_base_dir(str(folder))
    server.config.try_bind_port = _listening
    server.config.configs["proxy_port"] = port  # this one, and no other where it is taken
    server.config.set("authorization_enabled", True)
    etcd = _etcd_settings(folder, server)
    server.config.resolve()
    milvus._initialize_data_files(server.config.base_data_dir)
    program = server.get_milvus_executable_path()
    environment = {
        **os.environ,
        "DEPLOY_MODE": "STANDALONE",
        "ETCD_CONFIG_PATH": etcd,
        "METRICS_PORT": str(metrics_port),
        "MILVUS_RUN_DIR": str(folder / "run"),
        "LD_LIBRARY_PATH": str(Path(program).parent),
        "DYLD_LIBRARY_PATH": str(Path(program).parent),
    }
    os.chdir(folder)
    os.execve(program, [program, "run", "standalone"], environment)


def _etcd_settings(folder: Path, server: milvus.MilvusServer) -> str:
    """Write what the etcd within listens on, for the port of its peers is fixed else."""
    client, peer = _free_port(), _free_port()
    server.config.configs["etcd_port"] = client
    urls = {"client": f"http://127.0.0.1:{client}", "peer": f"http://127.0.0.1:{peer}"}
    settings = {
        "name": "default",
        "data-dir": str(folder / "data/etcd.data"),
        "listen-client-urls": urls["client"],
        "advertise-client-urls": urls["client"],
        "listen-peer-urls": urls["peer"],
        "initial-advertise-peer-urls": urls["peer"],
        "initial-cluster": f"default={urls['peer']}",
    }
    path = folder / "etcd.json"
    path.write_text(json.dumps(settings))
    return str(path)


def _listening(port: int) -> socket.socket | None:
    """Return a socket that listens on a port, None where another does.

    The wheel's own takes a port for taken on which a server was killed a minute ago.
    """
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen()
    except OSError:
        listener.close()
        return None
    return listener


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
