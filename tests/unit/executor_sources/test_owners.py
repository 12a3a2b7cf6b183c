"""Owners by the topology, under any names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.executor.sources.owners import Component, Owners, components_of
from tests.fakes.bundles import TOPOLOGY


@pytest.fixture
def owners() -> Owners:
    return Owners(components_of(TOPOLOGY["services"]))  # type: ignore[arg-type] # a literal of that shape


@pytest.mark.parametrize(
    ("log", "owner"),
    [
        ("logs/front.log", "edge"),
        ("logs/cart.log", "cart"),
        ("logs/cart-worker.log", "cart-worker"),
        ("logs/cart-worker-1.log", "cart-worker"),
        ("logs/cartographer.log", ""),
        ("logs/cart/app.log", "cart"),
        ("logs/postgresql-16-main.log", "orders-db"),
        ("logs/redis.log", "kv"),
        ("logs/python.log", ""),
        ("logs/other.log", ""),
    ],
)
def test_a_log_has_the_owner_that_the_topology_gives_it(owners: Owners, log: str, owner: str) -> None:
    assert owners.of_log(log) == owner


@pytest.mark.parametrize(
    ("labels", "name", "owner"),
    [
        ({"service": "cart"}, "x", "cart"),
        ({"job": "cart-job"}, "x", "cart"),
        ({"instance": "n1:9001"}, "x", "cart"),
        ({"job": "exporter", "application_name": "cart"}, "pg_connections", "cart"),
        ({"pod": "cart-worker-7f9c-x2z"}, "x", "cart-worker"),
        ({"job": "cart"}, "x", "cart"),
        ({}, "pg_settings_max_connections", "orders-db"),
        ({}, "redis_memory_used_bytes", "kv"),
        ({}, "nginx_connections", "edge"),
        ({}, "python_gc_total", ""),
        ({"service": "unknown"}, "node_load1", ""),
    ],
)
def test_a_series_has_the_owner_that_its_labels_or_words_name(
    owners: Owners, labels: dict[str, str], name: str, owner: str
) -> None:
    assert owners.of_series(labels, name, "") == owner


def test_the_query_names_an_owner_where_the_name_does_not(owners: Owners) -> None:
    assert owners.of_series({}, "hits", "rate(redis_keyspace_hits_total[1m])") == "kv"


@pytest.mark.parametrize(
    ("source", "field", "owner"),
    [
        ("logs/cart.log", "", "cart"),
        ("cart-access.log.1", "", "cart"),
        ("logs/billing-api.stderr.log", "", "billing-api"),
        ("cart.log-20261130", "", "cart"),
        ("cart.2026-11-30.log", "", "cart"),
        ("cart_error.jsonl", "", "cart"),
        ("logs/cart.log", "basket", "basket"),
        ("logs/access.log", "", ""),
        ("access.log", "cart", "cart"),
        ("var/syslog", "", ""),
        ("messages.1", "cart", ""),
        ("kern.log", "", ""),
        ("0000.log", "", ""),
    ],
)
def test_without_a_topology_a_log_belongs_to_what_it_is_called(source: str, field: str, owner: str) -> None:
    assert Owners([]).of_log(source, field) == owner


def test_with_a_topology_what_the_lines_call_themselves_decides_nothing(owners: Owners) -> None:
    assert owners.of_log("elsewhere.log", "elsewhere") == ""


def test_without_a_topology_no_series_has_an_owner() -> None:
    assert Owners([]).of_series({"service": "cart"}, "redis_x", "") == ""


NAMES = st.from_regex(r"[a-z]{3,8}(-[a-z]{2,6})?", fullmatch=True)


@given(st.lists(NAMES, min_size=1, max_size=5, unique=True), st.data())
def test_the_owner_follows_any_renaming(names: list[str], data: st.DataObject) -> None:
    owners = Owners([Component(name) for name in names])
    name = data.draw(st.sampled_from(names))
    assert owners.of_log(f"logs/{name}.log") == name
    assert owners.of_series({"service": name}, "x", "") == name


@pytest.mark.parametrize(
    ("labels", "header", "owner"),
    [
        ({}, "cart-worker_latency", "cart-worker"),
        ({}, "cart_worker_cpu_seconds", "cart-worker"),
        ({}, "cart_latency", "cart"),
        ({}, "cartel_latency", ""),
        ({"service": "edge"}, "cart_latency", "edge"),
        ({}, "redis_hits_total", "kv"),
        ({}, "latency", ""),
    ],
)
def test_a_column_has_the_owner_that_begins_its_header(
    owners: Owners, labels: dict[str, str], header: str, owner: str
) -> None:
    assert owners.of_column(labels, header) == owner
