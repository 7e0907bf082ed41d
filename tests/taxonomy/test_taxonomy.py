"""Taxonomies: every source, every question, every bad input."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdseqpriv import FileError, SeqPrivError, Taxonomy
from tests.strategies import taxonomies

# The paper's figure 2(c), as its examples 2.5, 6.2 and 6.4 tell it.
SITES = {
    "All": {
        "Internet/Computer": {
            "Social Networks": ["Facebook", "Myspace"],
            "Search Engines": ["Google", "Bing"],
        },
        "Shopping": {"Auctions": ["eBay", "Seenit"], "Stores": ["Amazon", "Walmart"]},
    }
}
LINKS = {
    "Facebook": "Social Networks",
    "Myspace": "Social Networks",
    "Google": "Search Engines",
    "Bing": "Search Engines",
    "eBay": "Auctions",
    "Seenit": "Auctions",
    "Amazon": "Stores",
    "Walmart": "Stores",
    "Social Networks": "Internet/Computer",
    "Search Engines": "Internet/Computer",
    "Auctions": "Shopping",
    "Stores": "Shopping",
    "Internet/Computer": "All",
    "Shopping": "All",
}


def test_the_papers_example_2_5():
    sites = Taxonomy(SITES)
    assert sites.share("Internet/Computer") == 4 / 8
    assert sites.lowest_common_ancestor(["eBay", "Amazon"]) == "Shopping"
    assert sites.lowest_common_ancestor(["Facebook", "Myspace"]) == "Social Networks"
    assert sites.lowest_common_ancestor(["eBay", "Amazon", "Facebook", "Myspace"]) == "All"


@pytest.mark.parametrize(
    "source",
    [
        LINKS,
        dict(reversed(LINKS.items())),
        pd.DataFrame({"child": list(LINKS), "parent": list(LINKS.values())}),
        pd.DataFrame({"parent": list(LINKS.values()), "child": list(LINKS)}),
        pd.DataFrame({0: list(LINKS), 1: list(LINKS.values())}, index=["x"] * len(LINKS)).astype("category"),
        pd.DataFrame({"a": list(LINKS), "b": list(LINKS.values())}).astype(pd.ArrowDtype(pa.string())),
        pd.DataFrame({"a": list(LINKS), "a ": list(LINKS.values())}, dtype=object),
        Taxonomy(LINKS),
    ],
    ids=["mapping", "reversed", "frame", "swapped", "categories", "arrow", "objects", "itself"],
)
def test_all_sources_give_the_same(source):
    assert Taxonomy(source) == Taxonomy(SITES)
    assert hash(Taxonomy(source)) == hash(Taxonomy(SITES))


def test_files(tmp_path):
    frame = pd.DataFrame({"child": list(LINKS), "parent": list(LINKS.values())})
    frame.to_parquet(tmp_path / "sites.parquet", index=False)
    frame.to_csv(tmp_path / "sites.csv", index=False)
    assert Taxonomy.read_parquet(tmp_path / "sites.parquet") == Taxonomy(SITES)
    assert Taxonomy.read_csv(str(tmp_path / "sites.csv")) == Taxonomy(SITES)


def test_csv_takes_words_and_digits_as_they_are(tmp_path):
    (tmp_path / "t.csv").write_text("child,parent\nNA,None\n007,None\n7,None\n")
    assert list(Taxonomy.read_csv(tmp_path / "t.csv").leaves) == ["007", "7", "NA"]
    assert Taxonomy.read_csv(tmp_path / "t.csv").root == "None"


@pytest.mark.parametrize("read", [Taxonomy.read_parquet, Taxonomy.read_csv])
def test_files_that_are_not_there_or_not_ours(read, tmp_path):
    with pytest.raises(FileError, match="there is no such file"):
        read(tmp_path / "none")
    (tmp_path / "broken").write_bytes(b"\xff\xfe\x00secret")
    with pytest.raises(SeqPrivError) as caught:
        read(tmp_path / "broken")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "root"),
    [
        ({"a": "A", "b": "B"}, "ALL"),
        ({"a": "ALL", "b": "ALL"}, "ALL"),
        ({"ALL": "A", "b": "B"}, "ALL (all events)"),
        ({"a": "ALL", "b": "B"}, "ALL (all events)"),
        ({"ALL": "A", "ALL (all events)": "B"}, "ALL (all events, 2)"),
        ({"a": {}}, "ALL"),
        ({"a": {}, "b": None, "c": ["d"]}, "ALL"),
    ],
)
def test_there_is_one_root_and_its_name_is_free(source, root):
    made = Taxonomy(source)
    assert made.root == root
    assert made.parent_of(root) is None
    assert list(made.names).count(root) == 1
    assert root not in made.leaves
    assert made.share(root) == 1.0


def test_flat():
    flat = Taxonomy.flat(["b", "a", "b", "é", ""])
    assert list(flat.leaves) == ["", "a", "b", "é"]
    assert flat.lowest_common_ancestor(["a", "b"]) == "ALL"
    assert flat.lowest_common_ancestor(["a"]) == "a"
    assert flat.share("ALL") == 1.0
    assert len(flat) == 5
    assert Taxonomy.flat(["ALL", "b"]).root == "ALL (all events)"


def test_whole_numbers_are_names_by_their_digits():
    huge = 2**80
    for events in (
        [1, 2, huge],
        ["1", "2", str(huge)],
        pd.Index([1, 2, huge], dtype=object),
        pd.Series(["1", "2", str(huge)], dtype="category"),
    ):
        made = Taxonomy.flat(events)
        assert set(made.leaves) == {"1", "2", str(huge)}
        assert made.find([1, "2", huge, 3]).tolist() == [1, 3, 2, -1]  # sorted as text
    assert Taxonomy({1: 10, 2: 10, 10: 20, 3: 20}).lowest_common_ancestor([1, "2"]) == "10"
    for dtype in ("uint64", "int8", "Int64", pd.ArrowDtype(pa.int32())):
        assert Taxonomy({1: "odd", 2: "even"}).covers("odd", pd.Series([1], dtype=dtype)[0])
        assert Taxonomy({1: "odd", 2: "even"}).is_under(
            pd.Series([1, 2], dtype=dtype), ["odd", "odd"]
        ).tolist() == [True, False]


def test_the_order_puts_parents_first():
    sites = Taxonomy(SITES)
    assert sites.parents[0] == 0
    assert (sites.parents[1:] < np.arange(1, len(sites))).all()
    assert sites.depths.tolist() == sorted(sites.depths)
    assert (sites.shares[sites.is_leaf] == 0).all()
    assert sites.parents.dtype == sites.depths.dtype == np.int32


def test_it_never_changes():
    sites = Taxonomy(SITES)
    with pytest.raises(AttributeError):
        sites.names = pd.Index(["x"])
    for array in (sites.parents, sites.depths, sites.shares):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    assert pickle.loads(pickle.dumps(sites)) == sites  # noqa: S301 (our own)
    assert sites != SITES


def test_it_tells_no_name_unasked():
    assert repr(Taxonomy(SITES)) == "Taxonomy(events=8, categories=7, levels=3)"
    with pytest.raises(SeqPrivError) as caught:
        Taxonomy(SITES).share("secret")
    assert "secret" not in str(caught.value)


def test_names_that_are_not_there():
    sites = Taxonomy(SITES)
    assert not sites.covers("Search Engines", "unheard-of")
    assert not sites.covers("unheard-of", "Google")
    assert sites.is_under(["Google", None, "?"], ["All", "All", "All"]).tolist() == [True, False, False]
    for question in (sites.parent_of, sites.share, lambda name: sites.lowest_common_ancestor([name, "Bing"])):
        with pytest.raises(SeqPrivError, match="not in the taxonomy"):
            question("unheard-of")
    with pytest.raises(SeqPrivError, match="at least one name"):
        sites.lowest_common_ancestor([])
    with pytest.raises(SeqPrivError, match="Put a single name into a list"):
        sites.lowest_common_ancestor("Bing")


def circle():
    loop = {}
    loop["secret"] = loop
    return loop


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({}, "source is empty"),
        (pd.DataFrame({"child": [], "parent": []}), "source is empty"),
        ({"secret": "x", "x": "secret"}, "2 names are on or below a cycle"),
        ({"secret": "x", "x": "y", "y": "x", "b": "B"}, "3 names are on or below a cycle"),
        ({"secret": "secret"}, "1 name is on or below a cycle"),
        ({"secret": "ALL", "ALL": "ALL"}, "Leave out the row of the root"),
        (pd.DataFrame({"c": ["secret", "secret"], "p": ["x", "y"]}), "1 name has more than one parent"),
        (pd.DataFrame({"c": ["secret", "secret"], "p": ["x", "x"]}), "1 child is listed more than once"),
        ({1: "x", "1": "y"}, "1 name has more than one parent"),
        ({"secret": None, "b": "x"}, "1 of 2 parents is null"),
        ({None: "secret"}, "1 of 1 children is null"),
        (pd.DataFrame({"c": ["a", None], "p": ["secret", "secret"]}), "1 of 2 children is null"),
        (pd.DataFrame({"c": ["a"], "p": ["secret"], "x": [1]}), "a DataFrame with 3 columns"),
        (pd.DataFrame({"c": ["secret"]}), "a DataFrame with 1 column."),
        (pd.DataFrame({"c": [1.5], "p": ["secret"]}), "text or whole numbers, got float64"),
        ({"secret": 1.5}, "text or whole numbers, got a float among them"),
        ({True: "secret"}, "text or whole numbers, got a bool among them"),
        ({b"secret": "x"}, "text or whole numbers, got a bytes among them"),
        ({"a": {"secret": []}, "b": {"secret": []}}, "occurs in two places"),
        ({"a": ["secret", "secret"]}, "occurs in two places"),
        (circle(), "occurs in two places"),
        ({"a": {"b": "secret"}}, "nested dicts that end in"),
        ({"a": ["b"], "c": 3}, "nested dicts that end in"),
        ({"a": [None]}, "is null"),
        ({"a": [["secret"]]}, "got a list among them"),
        (["secret"], "must be a mapping of child to parent"),
        ("secret", "got str. Read a file with Taxonomy.read_csv or Taxonomy.read_parquet."),
        (None, "must be a mapping of child to parent"),
        (3, "must be a mapping of child to parent"),
    ],
)
def test_bad_sources_are_said_in_one_sentence_without_names(source, said):
    with pytest.raises(SeqPrivError) as caught:
        Taxonomy(source)
    assert said in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("events", [[], ["a", None], [1.5], "secret", 3])
def test_bad_flat_ones(events):
    with pytest.raises(SeqPrivError) as caught:
        Taxonomy.flat(events)
    assert "secret" not in str(caught.value)


def test_deep_ones_are_no_problem():
    chain = Taxonomy({i: i + 1 for i in range(20_000)})
    assert chain.root == "20000"
    assert chain.share(10) == 1.0
    assert chain.depths[-1] == 20_000


def ancestors(links, name):
    """Climb a mapping of child to parent, the name itself first."""
    path = [name]
    while path[-1] in links:
        path.append(links[path[-1]])
    return path


@given(taxonomies(["a", "b", "c", "d", "é"]), st.data())
def test_it_answers_as_climbing_by_hand_does(links, data):
    made = Taxonomy(links)
    leaves = [name for name in links if name not in links.values()]
    assert sorted(made.leaves) == sorted(leaves)
    names = [*links, "TOP"]
    for name in names:
        assert made.parent_of(name) == links.get(name)
        under = [leaf for leaf in leaves if name in ancestors(links, leaf)]
        assert made.share(name) == (0 if name in leaves else len(under) / len(leaves))
        for other in names:
            assert made.covers(name, other) == (name in ancestors(links, other))
    chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=4))
    shared = set.intersection(*(set(ancestors(links, name)) for name in chosen))
    lowest = max(shared, key=lambda name: len(ancestors(links, name)))
    assert made.lowest_common_ancestor(chosen) == lowest
