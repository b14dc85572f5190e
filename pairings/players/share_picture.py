"""The 1200 × 630 pictures that a link shows where it is shared. They leave the club for good.

Only names of people who chose "everybody" are drawn. DejaVu Sans, as in the PDFs, has every French
and Romanian letter, and Arabic and Hebrew ones.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from django.conf import settings
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from PIL import Image, ImageDraw, ImageFont

from clubs.members.models import Member
from clubs.organisations.models import Organisation
from clubs.templatetags.ui import points, signed
from clubs.ui import badges
from clubs.ui.french import written
from clubs.ui.pdf import in_dejavu
from pairings.evenings.models import Evening
from pairings.players.recap import Recap
from pairings.ranking.live import RankingRow

SIZE = (1200, 630)
MARGIN = 72
FOLDER = Path(settings.BASE_DIR) / "static" / "vendor" / "dejavu"
GROUND, GREEN, INK, MUTED, RULE = "#F6F5F1", "#17613F", "#1B211E", "#545D58", "#D8D9D3"
STONES = {  # ground and words, as in static/css/tokens.css
    "onyx": ("#23252B", "#FFFFFF"),
    "amethyste": ("#7434B8", "#FFFFFF"),
    "topaze": ("#FFC94D", "#3D2A00"),
    "diamant": ("#CFF3FC", "#063F50"),
}


@cache
def font(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(FOLDER / name, size)


def public_name(member: Member) -> str:
    """Return the name that may be drawn, or words that name nobody: a guest never chose to be seen."""
    if not member.chose_to_be_public:
        return _("Nom non public")
    return member.name_for(viewer_is_member=False)


class Picture:
    """A ground with a band in the club's colour; lines of text that always fit."""

    def __init__(self, club: str, subtitle: str) -> None:
        self.image = Image.new("RGB", SIZE, GROUND)
        self.draw = ImageDraw.Draw(self.image)
        self.draw.rectangle((0, 0, SIZE[0], 132), fill=GREEN)
        self.text(MARGIN, 28, club, 38, bold=True, fill="#FFFFFF")
        self.text(MARGIN, 80, subtitle, 28, fill="#DDEBE3")

    def text(
        self,
        x: int,
        y: int,
        words: str,
        size: int,
        *,
        bold: bool = False,
        fill: str = INK,
        room: int = 0,
        right: bool = False,
    ) -> int:
        """Write one line from x, or up to x; return its width. It shrinks in its middle, then is cut.

        Emoji and words in letters that the font lacks, as Japanese ones, are left out: they would be
        boxes. Where nothing else was written, a dash stands for it.
        """
        words = in_dejavu(words) or ("–" if words else "")
        room, asked = room or SIZE[0] - MARGIN - x, size
        face = font(size, bold=bold)
        while face.getlength(words) > room and size > 20:
            size -= 2
            face = font(size, bold=bold)
        if face.getlength(words) > room:
            while words and face.getlength(f"{words}…") > room:
                words = words[:-1]
            words = f"{words.rstrip()}…"
        width = int(face.getlength(words))
        place = (x - width if right else x, y + (asked - size) // 2)
        self.draw.text(place, words, font=face, fill=fill)
        return width

    def badge(self, x: int, y: int, code: str) -> None:
        ground, ink = STONES[code]
        words = badges.word(code)
        width = int(font(30, bold=True).getlength(words))
        self.draw.rounded_rectangle((x, y, x + width + 48, y + 54), 27, fill=ground)
        self.draw.text((x + 24, y + 8), words, font=font(30, bold=True), fill=ink)

    def figure(self, column: int, label: str, value: str) -> None:
        """Draw one of three figures in a row under a rule."""
        room = (SIZE[0] - 2 * MARGIN) // 3
        x = MARGIN + column * room
        self.text(x, 448, value, 60, bold=True, room=room - 24)
        self.text(x, 528, label, 28, fill=MUTED, room=room - 24)

    def podium(self, rows: Sequence[RankingRow]) -> None:
        for place, row in enumerate(rows):
            y = 236 + place * 112
            self.draw.rounded_rectangle(
                (MARGIN, y, SIZE[0] - MARGIN, y + 96), 20, fill="#FFFFFF", outline=RULE, width=2
            )
            self.text(MARGIN + 32, y + 20, str(row.rank), 46, bold=True, fill=GREEN)
            won = f"{points(row.values.get('pr'))} PR"
            taken = self.text(SIZE[0] - MARGIN - 32, y + 26, won, 38, right=True, room=260)
            left = SIZE[0] - 2 * MARGIN - 116 - 32 - 24 - taken
            self.text(MARGIN + 116, y + 24, public_name(row.member), 40, bold=True, room=left)

    def png(self) -> bytes:
        out = io.BytesIO()
        self.image.save(out, "PNG", optimize=True)
        return out.getvalue()


def of_player(member: Member, recap: Recap) -> bytes:
    """Return the picture of one player's evening: place, cote, matches. No opponent is named."""
    summary = recap.summary
    evening = summary.evening
    picture = Picture(evening.organisation.name, evening_title(evening))
    picture.text(MARGIN, 186, public_name(member), 64, bold=True)
    if summary.cote is not None:
        picture.badge(MARGIN, 292, summary.cote.category)
        if summary.cote.has_won_category:
            picture.text(MARGIN + 320, 300, _("Nouvelle catégorie"), 30, bold=True, fill=GREEN)
    picture.draw.line((MARGIN, 412, SIZE[0] - MARGIN, 412), fill=RULE, width=3)
    column = 0
    if summary.row is not None:
        picture.figure(
            column, _("Place sur %(size)s") % {"size": summary.size}, str(summary.row.rank)
        )
        column += 1
    if summary.cote is not None:
        label = _("Cote (%(change)s)") % {"change": signed(summary.cote.delta)}
        picture.figure(column, label, str(summary.cote.after))
        column += 1
    record = recap.record
    label = _("Victoires : %(won)s sur %(n)s") % {"won": record["won"], "n": sum(record.values())}
    picture.figure(column, label, f"+{points(recap.pr)} PR")
    return picture.png()


def of_evening(evening: Evening, rows: Sequence[RankingRow]) -> bytes:
    """Return the picture of an evening: when and where, and its podium once there is one."""
    picture = Picture(evening.organisation.name, evening_title(evening))
    if rows:
        picture.text(MARGIN, 160, _("Le classement après la soirée"), 44, bold=True)
        picture.podium(rows)
    else:
        starts = evening.starts_at.astimezone(evening.organisation.zone)
        day = capfirst(written(evening.held_on, "l j F"))
        picture.text(MARGIN, 230, day, 64, bold=True)
        picture.text(MARGIN, 330, f"{starts:%H:%M}", 64, bold=True, fill=GREEN)
        picture.text(MARGIN, 430, evening.place, 40, fill=MUTED)
    return picture.png()


def of_club(organisation: Organisation, rows: Sequence[RankingRow]) -> bytes:
    """Return the picture of a club's public pages."""
    picture = Picture(organisation.name, organisation.place)
    if rows:
        picture.text(MARGIN, 160, _("Classement"), 44, bold=True)
        picture.podium(rows)
    else:
        picture.text(MARGIN, 230, organisation.game, 64, bold=True)
    return picture.png()


def evening_title(evening: Evening) -> str:
    return _("Soirée du %(day)s") % {"day": written(evening.held_on, "l j F Y") + evening.apart}
