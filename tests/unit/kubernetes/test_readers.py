"""Readers of what was saved of a cluster: each value with the line that it stands on."""

import json
from collections.abc import Iterator

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from services.executor.sources.kubernetes import yaml_tree
from services.executor.sources.kubernetes.container_logs import (
    is_refusal,
    names_nobody,
    pod_of_log,
)
from services.executor.sources.kubernetes.json_tree import read_json
from services.executor.sources.kubernetes.reader import read_objects, writing_of
from services.executor.sources.kubernetes.tree import KubeObject, Node, ShapeError
from services.executor.sources.kubernetes.yaml_tree import read_yaml
from services.executor.sources.stop import StoppedError, never
from tests.fakes.clusters import described_pod, pod_object, text

KEYS = st.text("abcXYZ-/.", min_size=1, max_size=8)
WORDS = st.text("abc xyz:#-019", min_size=1, max_size=12).map(lambda word: f"w{word}w")
TREES = st.recursive(
    WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
ROWS = st.lists(
    st.lists(st.text("abc019-/", min_size=1, max_size=20), min_size=3, max_size=3), min_size=1, max_size=6
)
_LIMIT = 1 << 20


# What a kernel says of a process begins with a name as well.
PROCESS = "Name:\tpython\nUmask:\t0022\nState:\tR (running)\nTgid:\t7\n"


def objects(content: str, source: str = "saved.txt") -> list[KubeObject]:
    return list(read_objects(source, content.encode(), _LIMIT, never))


def leaves(root: Node) -> list[tuple[str, str]]:
    return [("/".join(path), leaf.text) for path, leaf in root.leaves()]


def flat(value: object, path: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield the leaves of plain data in order."""
    items: list[tuple[str, object]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = [(str(index), item) for index, item in enumerate(value)]
    else:
        yield "/".join(path), str(value)
    for key, item in items:
        yield from flat(item, (*path, key))


@given(st.dictionaries(KEYS, TREES, max_size=4))
def test_json_and_yaml_give_the_same_tree(data: dict[str, object]) -> None:
    printed = json.dumps(data, indent=2)
    from_json = read_json(printed.encode(), _LIMIT, never)
    assert leaves(from_json) == list(flat(data))
    (from_yaml,) = read_yaml(yaml.safe_dump(data, sort_keys=False), never)
    assert leaves(from_yaml) == list(flat(data))


@given(st.dictionaries(KEYS, TREES, max_size=4))
def test_each_value_stands_on_its_line(data: dict[str, object]) -> None:
    printed = json.dumps(data, indent=2)
    lines = printed.splitlines()
    for path, leaf in read_json(printed.encode(), _LIMIT, never).leaves():
        assert json.dumps(leaf.text) in lines[leaf.line - 1], path
    dumped = yaml.safe_dump(data, sort_keys=False, width=1 << 20)
    for _, leaf in read_yaml(dumped, never)[0].leaves():
        assert leaf.text in dumped.splitlines()[leaf.line - 1]


@given(ROWS)
def test_a_table_is_read_as_it_is_aligned(rows: list[list[str]]) -> None:
    header = ["NAME", "LAST SEEN", "PORT(S)"]
    widths = [max(len(row[column]) for row in [header, *rows]) + 3 for column in range(3)]
    printed = "\n".join(
        "".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in [header, *rows]
    )
    found = [[cell.text for cell in each.root.children] for each in objects(printed)]
    # What begins with signs of a tree is shown without them, so that only the others are compared whole.
    assert [row[1:] for row in found] == [row[1:] for row in rows]
    assert [each.root.line for each in objects(printed)] == list(range(2, len(rows) + 2))


@given(
    st.text(max_size=300),
    st.sampled_from(["", "Name: x\n", "NAME   AGE\n", "kind: Pod\n", "apiVersion: v1\n"]),
)
def test_any_text_is_read_or_refused_in_one_sentence(content: str, head: str) -> None:
    found: list[KubeObject] = []
    try:
        found = objects(head + content)
    except ShapeError as error:
        refused = str(error)
    else:
        refused = ""
    assert refused.isprintable()
    last = len((head + content).splitlines())
    assert refused or all(1 <= leaf.line <= last for each in found for _, leaf in each.root.leaves())


def test_a_description_is_a_tree_by_its_indentation() -> None:
    content = described_pod(
        ("BackOff", "Back-off restarting failed container"), more={"Reason": "CrashLoopBackOff"}
    )
    (pod,) = objects(content)
    lines = content.splitlines()
    assert (pod.kind, pod.namespace, pod.name) == ("Pod", "shop", "billing-7d9c8b6f5d-x2kqz")
    reason = pod.root.at("Containers", "main", "State", "Reason")
    assert reason.text == "CrashLoopBackOff"
    assert "CrashLoopBackOff" in lines[reason.line - 1]
    (event,) = pod.root.at("Events").children
    assert event.at("Message").text == "Back-off restarting failed container"
    assert "Back-off" in lines[event.line - 1]


def test_objects_of_one_file_are_told_apart() -> None:
    content = described_pod(name="a") + "\n\n" + described_pod(name="b")
    assert [each.name for each in objects(content)] == ["a", "b"]
    assert [each.root.line for each in objects(content)] == [
        1,
        1 + content.splitlines().index("Name:             b"),
    ]


def test_a_list_gives_its_kind_to_its_items() -> None:
    listed = {"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"name": "a"}}]}
    assert [each.kind for each in objects(json.dumps(listed))] == ["Pod"]
    assert [each.kind for each in objects(json.dumps(listed["items"]), "cluster-resources/pvcs/ns.json")] == [
        "PersistentVolumeClaim"
    ]


def test_yaml_of_several_documents_and_lists() -> None:
    content = text(
        """
        apiVersion: v1
        kind: Pod
        metadata:
          name: a
        ---
        apiVersion: v1
        kind: List
        items:
        - kind: Service
          metadata:
            name: b
            namespace: ns
        """
    )
    assert [(each.kind, each.namespace, each.name) for each in objects(content)] == [
        ("Pod", "", "a"),
        ("Service", "ns", "b"),
    ]


def test_a_tree_of_owners_tells_what_hangs_on_what() -> None:
    content = text(
        """
        NAME                       READY   STATUS    AGE
        Deployment/web             1/1               2d
        └── ReplicaSet/web-1       1/1               2d
            ├── Pod/web-1-a        1/1     Running   2d
            └── NetworkPolicy/shut   -                 2d
        """
    )
    assert [(each.kind, each.name, each.parent) for each in objects(content)] == [
        ("Deployment", "web", ""),
        ("ReplicaSet", "web-1", "Deployment/web"),
        ("Pod", "web-1-a", "ReplicaSet/web-1"),
        ("NetworkPolicy", "shut", "ReplicaSet/web-1"),
    ]


def test_rows_without_their_header_are_pods() -> None:
    (pod,) = objects("shop   web-1   0/1   Pending   0   36s   <none>   <none>\n")
    assert (pod.kind, pod.namespace, pod.name, pod.root.at("STATUS").text) == (
        "Pod",
        "shop",
        "web-1",
        "Pending",
    )


@pytest.mark.parametrize("kind", ["Secret", "ConfigMap"])
def test_what_a_secret_holds_is_not_read(kind: str) -> None:
    """The control: the same words of any other kind are."""
    copied = {"kubectl.kubernetes.io/last-applied-configuration": '{"data": {"password": "aHVudGVyMg=="}}'}
    written = {
        "apiVersion": "v1",
        "kind": kind,
        "metadata": {"name": "db", "namespace": "shop", "annotations": copied},
        "data": {"password": "aHVudGVyMg=="},
        "stringData": {"user": "aHVudGVyMg=="},
    }
    for content in (json.dumps(written), yaml.safe_dump(written), json.dumps({"items": [written]})):
        (found,) = objects(content)
        assert found.name == "db"
        assert any("aHVudGVyMg==" in leaf.text for _, leaf in found.root.leaves()) is (kind != "Secret")


@pytest.mark.parametrize(
    "content", ["just words\nof a person\n", "", "2026-11-30T09:00:00Z INFO start\n", PROCESS]
)
def test_what_is_nothing_of_a_cluster_is_left_alone(content: str) -> None:
    assert writing_of(content.splitlines()) is None


# Nine to the ninth leaves, for whoever follows aliases.
BOMB = "kind: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"k{after}: &{after} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, after in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (BOMB, "alias on line 2"),
        ("kind: Pod\nkind: Job\n", "key twice on line 2"),
        ("kind: !!python/object/apply:os.system ['true']\n", "tag on line 1"),
        ("kind: " + "[" * 200 + "]" * 200, "deeper than 64"),
        ("kind: [unclosed\n", "not readable YAML on line 2"),
        ("? [a]\n: b\n", "key that is no text"),
        ("kind: a\n" + "---\nkind: a\n" * 2001, "more than 2000 documents"),
    ],
)
def test_yaml_that_means_more_than_it_says_is_refused(content: str, reason: str) -> None:
    with pytest.raises(ShapeError, match=reason):
        read_yaml(content, never)


def test_control_without_the_look_at_depth_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_tree, "MAX_DEPTH", 1000)
    assert read_yaml("kind: " + "[" * 200 + "]" * 200, never)


def test_reading_asks_whether_to_go_on() -> None:
    def over() -> None:
        raise StoppedError

    for content in (pod_object({}), described_pod(), "NAME   AGE\na   1d\n" * 1024, "kind: Pod\n"):
        with pytest.raises(StoppedError):
            list(read_objects("x", content.encode(), _LIMIT, over))


PODS = ("web-7d9c8b6f5d-x2kqz", "web-7d9c8b6f5d-9fkld", "db-0")


@pytest.mark.parametrize(
    ("source", "first", "pod"),
    [
        ("logs/kubectl_logs_web-7d9c8b6f5d-x2kqz_shop.log", "", PODS[0]),
        ("logs/x2kqz.log", "", PODS[0]),
        ("dump/shop/db-0/logs.txt", "", "db-0"),
        ("anything", "==== START logs for container c of pod shop/web-1 ====", "web-1"),
        ("logs/kubectl_logs.log", "", ""),
        ("logs/db-01.log", "", ""),
    ],
)
def test_whose_log_it_is(source: str, first: str, pod: str) -> None:
    assert pod_of_log(source, first, PODS) == pod


def test_how_a_log_was_fetched() -> None:
    assert names_nobody("logs/kubectl_previous_logs.log")
    assert not names_nobody("logs/kubectl_logs_web.log")
    assert is_refusal('Error from server (BadRequest): container "c" is waiting to start')
    assert not is_refusal("Error: cannot open table")
