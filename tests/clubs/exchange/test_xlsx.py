"""The one writer of XLSX files, read again."""

from __future__ import annotations

import io
from decimal import Decimal

from openpyxl import load_workbook

from clubs.exchange import xlsx


def read_again(book):
    return load_workbook(io.BytesIO(xlsx.bytes_of(book)))


def test_a_table_of_more_columns_than_letters_has_a_width_for_each():
    head = [f"Manche {number}" for number in range(1, 31)]
    page = read_again(xlsx.book_of("Résultats", head, [list(range(30))])).active
    assert page.freeze_panes == "A2" and page["AD1"].font.bold
    assert page.column_dimensions["AD"].width == len("Manche 30") + 2
    assert page["AD2"].value == 29


def test_text_stays_text_and_numbers_keep_their_decimals():
    rows = [["=1+1", Decimal("2.50")], ["#N/A", None]]
    page = read_again(xlsx.book_of("Liste : [A/B]", ["Nom", "Points"], rows)).active
    assert page.title == "Liste    A B "
    assert [page["A2"].value, page["A3"].value, page["B3"].value] == ["'=1+1", "#N/A", None]
    assert page["A3"].data_type == "s"
    assert (page["B2"].value, page["B2"].number_format) == (2.5, "0.00")


def test_what_no_xml_file_holds_is_left_out_of_a_file():
    """One such letter in the name of a place, and no spreadsheet opens the file of a whole club."""
    page = read_again(xlsx.book_of("Liste\ufffe", ["Lieu"], [["Salle\uffff 2\ufffe\x0b"]])).active
    assert (page.title, page["A2"].value) == ("Liste", "Salle 2")
