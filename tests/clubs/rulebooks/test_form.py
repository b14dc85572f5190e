"""The form of the rules: groups and contents, durations in minutes and days, the example beside it."""

from __future__ import annotations

import re
from datetime import timedelta
from fractions import Fraction

import pytest
from django.utils import timezone, translation

from clubs.rulebooks import actions as rulebooks
from clubs.rulebooks import wording
from clubs.rulebooks.models import RuleBook
from clubs.rulebooks.units import scale_of, scaled, unit_of
from clubs.ui.french import written
from ratings.ledger.models import RatingList
from tests.older_pages import send
from tests.pages import words

pytestmark = pytest.mark.django_db


@pytest.fixture
def address(club):
    return f"/c/{club.organisation.slug}/gestion/regles/brouillon/"


def typed(desk, address, **changes):
    """What a browser sends of the form as it was printed, with some fields typed over."""
    form = desk.get(address).context["form"]
    sent = {name: form[name].value() for name in form.fields}
    kept = {name: value for name, value in sent.items() if value not in (None, False)}
    return kept | {name.replace("__", "-"): value for name, value in changes.items()}


def field_of(page, name):
    """The field's markup: its input and the unit beside it."""
    text = page.content.decode()
    place = text.index(f'name="{name}"')
    return text[place : text.index("</div>", place)]


@pytest.mark.parametrize(
    ("name", "value", "unit"),
    [
        ("match-contest_window_s", "5", "minutes"),
        ("match-absence_grace_s", "15", "minutes"),
        ("match-deadline_s", "7", "jours"),
    ],
)
def test_durations_are_asked_in_minutes_and_days(desk, address, name, value, unit):
    page = desk.get(address)
    assert page.context["form"][name].value() == value
    assert unit in field_of(page, name)
    assert "secondes" not in page.content.decode()


@pytest.mark.parametrize(
    ("minutes", "seconds"), [("6", 360), ("2,5", 150), ("1", 60), ("60", 3600)]
)
def test_minutes_are_stored_in_seconds_and_come_back_as_typed(
    club, desk, address, minutes, seconds
):
    sent = typed(desk, address, match__contest_window_s=minutes)
    assert desk.post(address, sent).status_code == 302
    draft = RuleBook.objects.of(club.organisation, "faizers").drafts().get()
    assert draft.values == {"match": {"contest_window_s": seconds}}
    assert desk.get(address).context["form"]["match-contest_window_s"].value() == minutes


@pytest.mark.parametrize("minutes", ["0,9", "61"])
def test_the_bounds_of_a_duration_are_told_in_its_unit(desk, address, minutes):
    page = desk.post(address, typed(desk, address, match__contest_window_s=minutes))
    assert page.status_code == 422
    assert page.context["form"].errors == {
        "match-contest_window_s": ["La valeur doit être entre 1 et 60."]
    }


def test_a_bound_that_is_alone_is_told_without_infinity(desk, address):
    page = desk.post(address, typed(desk, address, pairing__pr_win="-1"))
    assert page.status_code == 422
    assert page.context["form"].errors == {"pairing-pr_win": ["La valeur doit être 0 ou plus."]}


@pytest.mark.parametrize("seconds", [3600, 86400, 129600, 604801])
def test_no_duration_changes_by_being_printed(club, desk, address, seconds):
    club.draft_rules({"match": {"deadline_s": seconds}})
    assert desk.post(address, typed(desk, address)).status_code == 302
    draft = RuleBook.objects.of(club.organisation, "faizers").drafts().get()
    assert draft.values == {"match": {"deadline_s": seconds}}


@pytest.mark.parametrize("typed_as", ["1/3", "1/300"])
def test_a_fraction_is_taken_again_as_it_is_printed(club, desk, address, typed_as):
    for changes in ({"cote__alpha": typed_as}, {}):
        assert desk.post(address, typed(desk, address, **changes)).status_code == 302


@pytest.mark.parametrize(
    ("part", "name", "value", "printed"),
    [
        ("match", "deadline_s", 3600, "1 h"),
        ("match", "deadline_s", 5400, "1,5 h"),
        ("match", "deadline_s", 129600, "1,5 jours"),
        ("match", "deadline_s", 432600, "7210 minutes"),
        ("match", "deadline_s", 604801, "604801 secondes"),
        ("match", "contest_window_s", 100, "100 secondes"),
        ("cote", "alpha", 1 / 3, "1/3"),
        ("cote", "alpha", 0.1234, "0,1234"),
        ("cote", "alpha", 0.5, "0,5"),
        ("pairing", "pr_draw", 1 / 3, "1/3 PR"),
        ("pairing", "pr_draw", 1.5, "1,5 PR"),
        ("pairing", "rating_cut_percent", "12.5", "12,5 %"),
    ],
)
def test_a_number_of_the_rules_has_a_unit_in_which_it_is_short(
    club, desk, part, name, value, printed
):
    club.rule_book({part: {name: value}})
    page = desk.get(f"/c/{club.organisation.slug}/regles/")
    label = next(line for line in rulebooks.lines(None, "faizers") if line.name == name).words.label
    for _part, _title, lines in page.context["parts"]:
        for line in lines:
            if line["label"] == label:
                assert f"{line['value']} {line['unit']}".strip() == printed


def test_two_durations_in_different_units_are_each_said_with_theirs(club, desk, address):
    club.rule_book({"match": {"deadline_s": 3600}})
    [line] = wording.changes(None, RuleBook.objects.get())
    assert (line["old"], line["new"], line["unit"]) == ("7 jours", "1", "h")
    [back] = wording.changes(RuleBook.objects.get(), None)
    assert (back["old"], back["new"], back["unit"]) == ("1 h", "7", "jours")
    page = desk.get(f"/c/{club.organisation.slug}/regles/").content.decode()
    assert "règlement\u00a0: 7 jours" in page
    assert desk.get(address).context["form"]["match-deadline_s"].value() == "1/24"


def test_a_third_is_a_third_in_the_ranking():
    """Three draws of a third are one point."""
    rules = rulebooks.rules(
        RuleBook(values={"pairing": {"pr_draw": 1 / 3, "pr_win": 2.5}}), "faizers", "pairing"
    )
    assert (3 * rules.pr_draw, rules.pr_win) == (1, Fraction(5, 2))


def test_a_number_that_the_document_leaves_empty_says_so(desk, address):
    fields = desk.get(address).context["form"].fields
    [hint] = [field.help_text for name, field in fields.items() if name.endswith("-rating_floor")]
    assert hint == "Vide : le plancher des cotes. Règlement : vide."


def test_the_public_rules_say_what_no_number_means_where_there_is_none(club, desk, address):
    page = f"/c/{club.organisation.slug}/regles/"
    read = words(desk.get(page))
    assert "le plancher des cotes." in read and "Vide : pas de plancher." not in read
    assert "Vide : pas de plancher." in words(desk.get(address))
    club.rule_book({"cote": {"floor": None}})
    assert "Vide : pas de plancher." in words(desk.get(page))


def test_the_unit_is_of_the_document_s_value_not_of_today_s():
    assert scale_of(300, "secondes") == (60, "minutes")
    assert scale_of(604800, "secondes") == (86400, "jours")
    assert scale_of(59, "secondes") == (1, "secondes")
    assert scale_of(300, "points") == (1, "points")
    assert (scaled(300, 60), scaled(90, 60), scaled(None, 60)) == (5, 1.5, None)


@pytest.mark.parametrize(
    ("language", "one", "twenty", "none"),
    [
        ("fr", "minute", "minutes", "minutes"),
        ("en", "minute", "minutes", "minutes"),
        ("ro", "minut", "de minute", "minute"),
    ],
)
def test_a_unit_is_said_in_the_form_of_its_number(language, one, twenty, none):
    """A field without a number yet has the plural, in the reader's language too."""
    with translation.override(language):
        said = [unit_of(value, "minutes") for value in (1, 20, None)]
    assert said == [one, twenty, none]


def test_a_change_to_one_is_followed_by_the_singular(club, desk, address):
    desk.post(address, typed(desk, address, match__contest_window_s="1"))
    root = f"/c/{club.organisation.slug}"
    changes = desk.get(f"{root}/gestion/regles/adopter/").context["changes"]
    assert [(line["new"], line["unit"]) for line in changes] == [("1", "minute")]


def test_an_empty_number_has_no_unit(club, desk, address):
    """Neither "– points" among the changes of a draft, nor on the public page of the rules."""
    sent = typed(desk, address, match__usual_low="", match__usual_high="")
    changes = desk.post(address, sent, follow=True).context["changes"]
    assert [(line["old"], line["new"], line["unit"]) for line in changes] == [
        ("100", "–", ""),
        ("800", "–", ""),
    ]
    club.rule_book({"match": {"usual_low": None, "usual_high": None}})
    page = desk.get(f"/c/{club.organisation.slug}/regles/").content.decode()
    assert not re.search(r"–\s+points", page)


def test_the_rules_and_their_changes_are_read_in_minutes_too(club, desk, address):
    desk.post(address, typed(desk, address, match__contest_window_s="6"))
    root = f"/c/{club.organisation.slug}"
    changes = desk.get(f"{root}/gestion/regles/adopter/").context["changes"]
    assert [(line["old"], line["new"], line["unit"]) for line in changes] == [("5", "6", "minutes")]
    rules = {
        line["label"]: (line["value"], line["unit"])
        for _part, _title, lines in desk.get(f"{root}/regles/").context["parts"]
        for line in lines
    }
    assert rules["Délai de contestation"] == ("5", "minutes")
    assert rules["Délai pour jouer le match"] == ("7", "jours")


def test_the_day_of_an_adoption_is_printed_as_a_date_control_reads_it(club, desk, address):
    """A browser leaves a date control empty whose value is written "26/11/2026"."""
    club.draft_rules({"match": {"deadline_s": 86400}})
    page = desk.get(f"/c/{club.organisation.slug}/gestion/regles/adopter/")
    tomorrow = timezone.now().astimezone(club.organisation.zone).date() + timedelta(days=1)
    assert f'type="date" name="day" value="{tomorrow.isoformat()}"' in page.content.decode()


def test_rules_adopted_today_are_in_force_at_once(club, desk, address):
    """As the refusal of an earlier day says: "choisissez aujourd’hui ou une date à venir"."""
    draft = club.draft_rules({"match": {"deadline_s": 86400}})
    now = timezone.now()
    today = now.astimezone(club.organisation.zone).date()
    adopted = f"/c/{club.organisation.slug}/gestion/regles/adopter/"
    answer = send(desk, adopted, {"day": today.isoformat(), "reason": "Avant la soirée"})
    said = " ".join(desk.get(answer["Location"]).content.decode().split())
    assert "à la première soirée qui ouvre à partir du" in said
    assert "sauf à côté d’une autre déjà ouverte" in said
    assert rulebooks.in_force(club.organisation, "faizers", timezone.now()) == draft
    assert rulebooks.in_force(club.organisation, "faizers", now - timedelta(seconds=1)) is None


def test_a_version_already_adopted_for_a_later_day_is_read_before_an_earlier_one(
    club, desk, address
):
    """It comes into force on its day all the same, and gives its own numbers back."""
    root = f"/c/{club.organisation.slug}"
    adopted, page = f"{root}/gestion/regles/adopter/", f"{root}/regles/"
    new_year = timezone.now().astimezone(club.organisation.zone).date() + timedelta(days=40)
    today = timezone.now().astimezone(club.organisation.zone).date()
    club.draft_rules({"pairing": {"pr_win": 4}})
    done = send(desk, adopted, {"day": new_year.isoformat(), "reason": "Le nouvel an"}, follow=True)
    assert f"à partir du {written(new_year, 'j F Y')}, sauf" in done.content.decode()
    answer = desk.get(page)
    assert "La version 1 prendra effet le " in answer.content.decode()
    assert f'href="{page}0..1/?livre=faizers"' in answer.content.decode()
    club.draft_rules({"match": {"deadline_s": 86400}})
    answer = desk.get(adopted)
    (later, changes) = answer.context["to_come"][0]
    assert later.number == 1 and "La version 1 est déjà adoptée" in answer.content.decode()
    assert [(line["old"], line["new"]) for line in changes] == [("3", "4"), ("1", "7")]
    send(desk, adopted, {"day": today.isoformat(), "reason": "Dès ce soir"})
    assert f'href="{page}2..1/?livre=faizers"' in desk.get(page).content.decode()
    club.draft_rules({"match": {"deadline_s": 86400}})
    send(desk, adopted, {"day": new_year.isoformat(), "reason": "Aussi en janvier"})
    to_come = RuleBook.objects.of(club.organisation, "faizers").to_come(timezone.now())
    assert [book.number for book in to_come] == [3]


@pytest.mark.parametrize("code", [known.code for known in rulebooks.scopes()])
def test_every_group_has_a_title_and_the_contents_lead_to_each(desk, address, code):
    page = desk.get(address, {"livre": code}).content.decode()
    assert re.search(r'<nav class="[^"]*no-print[^"]*" aria-labelledby="contents-title">', page)
    nav = page[page.index("contents-title") : page.index("</nav>", page.index("contents-title"))]
    links = re.findall(r'href="#([^"]+)"', nav)
    assert len(links) == len(set(links)) and len(links) >= 2
    for anchor in links:
        assert f'id="{anchor}"' in page
    assert not re.search(r"<a[^>]*>\s*</a>", nav)


def example_of(page):
    return [
        (row["own"], round(row["chance"], 3), row["won"], row["lost"])
        for row in page.context["example"]["rows"]
    ]


def test_the_example_is_computed_from_the_numbers_typed_and_nothing_is_saved(club, desk, address):
    before = example_of(desk.get(address))
    assert before[0] == (1200, 0.36, 1219, 1189)
    sent = typed(desk, address, cote__k_beginner="60", cote__divisor="200")
    page = desk.post(address, sent | {"preview": "1"})
    assert page.status_code == 200
    assert example_of(page)[0] == (1200, 0.24, 1246, 1186)
    assert page.context["form"]["cote-k_beginner"].value() == "60"
    assert not RuleBook.objects.of(club.organisation, "faizers").exists()


def test_a_game_won_1_to_0_accepts_no_more_and_its_example_says_1_to_0(club, desk, address):
    assert desk.get(address).context["example"]["scores"] == (410, 350)
    one = {"match__min_score": "0", "match__max_score": "1", "match__usual_low": ""}
    sent = typed(desk, address, **one, cote__alpha="1")
    page = desk.post(address, sent | {"preview": "1"})
    assert page.status_code == 200
    assert page.context["example"]["scores"] == (1, 0)
    assert example_of(page)[0] == (1200, 0.36, 1249, 1159)  # a margin of 100 % is α × K more
    assert desk.post(address, sent).status_code == 302
    page = desk.post(address, typed(desk, address, match__max_score="0"))
    assert page.status_code == 422
    assert "La valeur doit être entre 1 et 10000." in page.content.decode()


def test_the_example_waits_while_a_number_is_wrong(desk, address):
    page = desk.post(address, typed(desk, address, cote__divisor="x") | {"preview": "1"})
    assert page.status_code == 422 and page.context["example"] is None
    assert "L’exemple attend que chaque nombre soit juste." in page.content.decode()


def test_values_that_contradict_each_other_leave_no_example(desk, address):
    sent = typed(desk, address, cote__topaze_from="1300") | {"preview": "1"}
    page = desk.post(address, sent)
    assert page.status_code == 422 and page.context["example"] is None


@pytest.mark.parametrize(
    ("code", "typed_over", "field", "words"),
    [
        ("faizers", {"match-absence_grace_s": "60", "match-deadline_s": "1/24"}, "", "plus court"),
        ("faizers", {"match-usual_low": "500", "match-usual_high": "499"}, "match-usual_high", ""),
        ("faizers", {"match-max_score": "99"}, "match-usual_low", "plus haut accepté est plus bas"),
        ("faizers", {"match-usual_low": "", "match-usual_high": "-201"}, "match-usual_high", ""),
        ("faizers", {"pairing-absence_limit": "11"}, "pairing-absence_limit", "plus d’absences"),
        ("faizers", {"pairing-ds_weights": "jouet = 1"}, "pairing-ds_weights", "n’existe pas"),
        ("faizers", {"cote-k_expert_from": "1000"}, "cote-k_expert_from", "palier intermédiaire"),
        ("faizers", {"cote-amethyste_from": "1700"}, "cote-topaze_from", "doivent monter"),
        ("faizers", {"cote-diamant_from": "1700"}, "cote-diamant_from", "doivent monter"),
        ("absp", {"cote-newest_weight": "100"}, "cote-newest_weight", "au moins 1"),
        ("fesa", {"cote-k_2_from": "700"}, "cote-k_2_from", "doivent monter"),
        ("fesa", {"cote-established_games": "1"}, "cote-established_games", "provisoire"),
        ("fisf", {"cote-thresholds": "3; 2"}, "cote-thresholds", "doivent monter"),
        ("fisf", {"cote-k_top_from": "1"}, "cote-k_top_from", "doivent monter"),
        ("fisf", {"cote-bar_b": "3000"}, "cote-bar_b", "doivent descendre"),
        ("fisf", {"cote-percent_b": "99"}, "cote-percent_b", "100 %"),
        ("fisf", {"cote-start_last": "2000"}, "cote-start_first", "plus basse"),
        ("romania", {"cote-weight_step": "40"}, "cote-weight_step", "ne pèserait rien"),
    ],
)
def test_numbers_that_cannot_go_together_are_refused_beside_one_of_them(
    desk, address, code, typed_over, field, words
):
    page = f"{address}?livre={code}"
    answer = desk.post(page, typed(desk, page) | typed_over)
    assert answer.status_code == 422
    [(name, (sentence,))] = answer.context["form"].errors.items()
    assert name == (field or "match-absence_grace_s")
    assert words in sentence.replace("\u00a0", " ")


@pytest.mark.parametrize(
    "typed_over",
    [
        {"match-absence_grace_s": "59", "match-deadline_s": "1/24"},
        {"match-usual_low": "500", "match-usual_high": "500"},
        {"match-max_score": "100"},
        {"match-usual_low": "", "match-usual_high": "-200"},
        {"pairing-absence_limit": "10"},
        {"pairing-absence_limit": "1", "pairing-absence_window": "1"},
    ],
)
def test_numbers_that_just_go_together_are_a_draft(desk, address, typed_over):
    assert desk.post(address, typed(desk, address) | typed_over).status_code == 302


def test_a_version_adopted_before_its_numbers_were_refused_is_still_read(club, desk, address):
    values = {"match": {"absence_grace_s": 7200, "deadline_s": 3600, "usual_low": 900}}
    club.rule_book(values | {"pairing": {"absence_limit": 11}})
    assert desk.get(f"/c/{club.organisation.slug}/regles/").status_code == 200
    assert desk.get(address).status_code == 200
    assert desk.post(address, typed(desk, address)).status_code == 422


def test_a_draft_saved_before_its_numbers_were_refused_is_not_adopted(club, desk):
    RuleBook.objects.create(
        organisation=club.organisation,
        scope="faizers",
        number=1,
        values={"pairing": {"absence_limit": 11}},
        created_at=club.at,
    )
    today = timezone.now().astimezone(club.organisation.zone).date().isoformat()
    address = f"/c/{club.organisation.slug}/gestion/regles/adopter/"
    answer = send(desk, address, {"day": today, "reason": "Vote"})
    assert answer.status_code == 422 and "plus d’absences que de matchs" in answer.content.decode()
    assert not RuleBook.objects.adopted().exists()


def test_a_choice_that_changes_is_read_in_its_words(desk, address):
    """Before the adoption and between two versions; it was the code that the site stores."""
    changed = desk.post(address, typed(desk, address, pairing__ds_mode="mean"), follow=True)
    [line] = changed.context["changes"]
    assert (line["old"], line["new"]) == ("somme", "moyenne pondérée")


def test_the_tabs_of_an_old_version_lead_to_the_rules_in_force_of_each_book(club, desk):
    """Another book may have no version of that number: its tab would lead to nothing."""
    organisation = club.organisation
    RatingList.objects.create(organisation=organisation, slug="l", name="L", system="glicko2")
    club.draft_rules({"pairing": {"pr_win": 4}})
    root = f"/c/{organisation.slug}"
    today = timezone.now().astimezone(organisation.zone).date().isoformat()
    send(desk, f"{root}/gestion/regles/adopter/", {"day": today, "reason": "Dès ce soir"})
    page = desk.get(f"{root}/regles/1/?livre=faizers")
    books = {tab["label"]: desk.get(tab["url"]).context["book"] for tab in page.context["tabs"]}
    assert [book and book.number for book in books.values()] == [1, None]


def test_a_refused_number_is_named_once_in_the_summary(desk, address):
    page = desk.post(address, typed(desk, address, match__max_score="1,5")).content.decode()
    summary = " ".join(page[page.index('class="error-summary"') :].split("</section>")[0].split())
    assert "Score le plus haut accepté : Donnez un nombre entier." in summary
    assert summary.count("Score le plus haut accepté") == 1
