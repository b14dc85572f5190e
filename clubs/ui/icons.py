"""Lucide's icons as inline SVG, from the archive that its package brings."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from io import BytesIO
from xml.etree import ElementTree
from zipfile import ZipFile

NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'


@cache
def _archive() -> ZipFile:
    """Open the archive once a process: the package reads its directory again for each icon (30 ms)."""
    return ZipFile(BytesIO(files("lucide").joinpath("lucide.zip").read_bytes()))


def drawn(name: str, size: int, css: str) -> str:
    """Return the icon, hidden from screen readers. Raises KeyError where there is none of that name."""
    source = _archive().read(f"{name}.svg").decode()
    svg = ElementTree.fromstring(source.replace(NAMESPACE, "", 1))
    svg.attrib |= {"width": str(size), "height": str(size)}
    svg.attrib |= {"aria-hidden": "true", "focusable": "false"}
    if css:
        svg.attrib["class"] = css
    text = ElementTree.tostring(svg, encoding="unicode")
    return " ".join(text.split()).replace("> <", "><")
