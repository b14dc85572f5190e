"""Bring a tournament that was played elsewhere into a club, through the API.

    python bring_a_tournament.py https://club.example.org/c/faizers KEY open.json
    python bring_a_tournament.py https://club.example.org/c/faizers KEY a.t "Open d’hiver" 2026-12-19

KEY is a key of a member of the committee with the scope "office" (Réglages → Mes clés de
programmes). The file is the JSON of a site like this one, or a tsh division with its name and day.
Running it again with the same file within 30 days (OPERATIONS_KEPT_DAYS of the site) does nothing:
the site answers as the first time; the same file with another name or day is refused. A long file
is imported by a worker of the site; running it again then says what has become of it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def body_of(path: str, name: str = "", day: str = "") -> dict[str, Any]:
    """Return what is sent of a file. Raises OSError or UnicodeDecodeError."""
    content = Path(path).read_text(encoding="utf-8")
    if path.endswith(".json"):
        return {"format": "json", "content": content}
    tsh = {"format": "tsh", "name": name, "day": day, "ranking": "wins_and_spread"}
    return tsh | {"content": content}


def bring(site: str, key: str, body: dict[str, Any]) -> dict[str, Any]:
    """Send the file and return the answer. Raises HTTPError where the site refuses it."""
    headers = {
        "Authorization": f"Bearer {key}",
        "Content-Type": "application/json",
        "Idempotency-Key": hashlib.sha256(body["content"].encode()).hexdigest()[:40],
    }
    address = f"{site.rstrip('/')}/api/v1/tournament-files"
    request = Request(address, data=json.dumps(body).encode(), headers=headers)
    with urlopen(request, timeout=60) as answer:
        return dict(json.load(answer))


def reason_of(refused: HTTPError) -> str:
    """Return the site's own sentences; a proxy before the site may answer without one."""
    try:
        problem = json.load(refused)
        lines = [problem["detail"]]
        for one in problem.get("errors", []):
            if one["message"] not in lines[0]:
                lines.append(f"{one['field']}: {one['message']}")
        return "\n".join(lines)
    except (ValueError, TypeError, KeyError):
        return f"The site answers {refused.code} {refused.reason}, without a reason."


def main(arguments: list[str]) -> int:
    """Bring in one file and say what became of it."""
    if len(arguments) not in (3, 5):
        print("Usage: bring_a_tournament.py SITE KEY FILE [NAME DAY]", file=sys.stderr)
        return 2
    site, key, *file = arguments
    try:
        body = body_of(*file)
    except (OSError, UnicodeDecodeError) as failed:
        print(f"{file[0]} cannot be read as UTF-8 text: {failed}", file=sys.stderr)
        return 1
    try:
        done = bring(site, key, body)
    except HTTPError as refused:
        print(reason_of(refused), file=sys.stderr)
        return 1
    except (OSError, HTTPException, ValueError) as failed:
        print(f"No answer from {site}: {failed}", file=sys.stderr)
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
