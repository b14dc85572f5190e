"""Pages show what is refused in one way."""

from __future__ import annotations

import ast

from tests.our_code import modules, tree_of


def chooses_422(node: ast.AST) -> bool:
    return isinstance(node, ast.IfExp) and ast.unparse(node.body) == "422"


def test_only_the_page_of_a_form_chooses_between_422_and_200():
    chosen = {
        path.name
        for path in modules()
        if any(chooses_422(node) for node in ast.walk(tree_of(path)))
    }
    assert chosen == {"sent.py"}
