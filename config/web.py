"""The web server on the socket that run.py opened: `python -m config.web --fd 5`.

WEB_PROCESSES says how many processes of its own make the pages. The socket stays open when this
process dies, so who knocks while it is started again waits and is served.
"""

from __future__ import annotations

import argparse
import socket

import uvicorn


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fd", type=int, required=True, help="a socket that listens already")
    door = socket.socket(fileno=parser.parse_args().fd)
    config = uvicorn.Config(
        "config.asgi:application", access_log=False, timeout_graceful_shutdown=2
    )
    uvicorn.Server(config).run(sockets=[door])


if __name__ == "__main__":
    main()
