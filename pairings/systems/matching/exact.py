"""A pairing of everybody at the least cost, exactly: Edmonds' weighted matching.

The cost of a pair is a tuple of whole numbers, the first one that matters most: no number of better
values in a later place makes up for a worse one in an earlier place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import rustworkx

Cost = Sequence[int]
Places = tuple[int, int]


def pair_all(size: int, cost: Callable[[int, int], Cost]) -> list[Places]:
    """Return the pairs of places 0 to `size` − 1 with the least total cost, best place first.

    `size` is even; `cost` is called with the better place first and returns whole numbers ≥ 0.
    """
    if size % 2:
        raise ValueError(f"{size} players cannot all be paired")
    pairs = [(one, two) for one in range(size) for two in range(one + 1, size)]
    costs = [cost(one, two) for one, two in pairs]
    if not costs:
        return []
    # One whole number a pair: the places weigh so much that a sum never reaches the place before.
    scales = [1]
    for column in reversed(list(zip(*costs, strict=True))[1:]):
        scales.append(scales[-1] * (max(column) * (size // 2) + 1))
    scales.reverse()
    weights = [sum(map(int.__mul__, each, scales)) for each in costs]
    most = max(weights)
    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(size))
    graph.add_edges_from(
        [(one, two, most - weight) for (one, two), weight in zip(pairs, weights, strict=True)]
    )
    matching = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return sorted((min(pair), max(pair)) for pair in matching)
