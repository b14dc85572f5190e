"""Bring a tournament that was played elsewhere into a club, through the API.

    python bring_a_tournament.py https://club.example.org/c/faizers KEY open.json
    python bring_a_tournament.py https://club.example.org/c/faizers KEY a.t "Open d’hiver" 2026-12-19

KEY is a key of a member of the committee with the scope "office" (Réglages → Mes clés de
programmes). The file is the JSON of a site like this one, or a tsh division with its name and day.
Running it again with the same file within 30 days (OPERATIONS_KEPT_DAYS of the site) does nothing:
the site answers as the first time. A long file is imported by a worker of the site; running it again
then says what has become of it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def bring(site: str, key: str, path: str, name: str = "", day: str = "") -> dict[str, Any]:
    """Send the file and return the answer. Raises HTTPError where the site refuses it."""
    content = Path(path).read_text(encoding="utf-8")
    body: dict[str, Any] = {"format": "json", "content": content}
    if not path.endswith(".json"):
        body |= {"format": "tsh", "name": name, "day": day, "ranking": "wins_and_spread"}
    headers = {
        "Authorization": f"Bearer {key}",
        "Content-Type": "application/json",
        "Idempotency-Key": hashlib.sha256(content.encode()).hexdigest()[:40],
    }
    address = f"{site.rstrip('/')}/api/v1/tournament-files"
    request = Request(address, data=json.dumps(body).encode(), headers=headers)
    with urlopen(request, timeout=60) as answer:
        return dict(json.load(answer))


def main(arguments: list[str]) -> int:
    """Bring in one file and say what became of it."""
    if len(arguments) not in (3, 5):
        print("Usage: bring_a_tournament.py SITE KEY FILE [NAME DAY]", file=sys.stderr)
        return 2
    try:
        done = bring(*arguments)
    except HTTPError as refused:
        print(json.load(refused)["detail"], file=sys.stderr)
        return 1
    if done["slug"] is None:
        print(f"A long file ({done['state']}): {done['address']} {done['detail']}".rstrip())
        return int(done["state"] not in ("waiting", "running"))
    print(f"{done['slug']}: {done['guests']} unknown names are guests of the club.")
    for player in done["differences"]:
        print(f"Another place than in the file: {player}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
