"""What the redactor takes out, what it leaves, and what stands there instead."""

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.common.evidence.redacted import citable_parts, holds_marker, is_marker
from services.common.evidence.strict_json import Json, NumberToken, dumps, loads
from services.common.redaction.redactor import MAX_PATTERN_CHARS, PatternError, Redactor
from tests.fakes.secrets import pem_lines, said, secrets

REDACTOR = Redactor()
KEY_BEGINS, KEY_ENDS = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"


def document(value: object) -> tuple[str, int]:
    """Redact a value, and return it as JSON text with the count."""
    found = REDACTOR.document(loads(json.dumps(value).encode()))
    return dumps(found.document).decode(), found.count


@pytest.mark.parametrize("name", sorted(secrets()))
def test_a_secret_of_each_format_is_taken_out_of_what_systems_say(name: str) -> None:
    secret = secrets()[name]
    for text in said(name, secret):
        found = REDACTOR.text(text)
        assert secret not in found.text, text
        assert (found.count, holds_marker(found.text)) == (1, True), text
        # What stands around it is as it was.
        assert all(part in text for part in citable_parts(found.text)), text


@pytest.mark.parametrize(
    "text",
    [
        '2026-11-30T09:10:53Z ERROR password authentication failed for user "app"',
        'level=error msg="invalid token: unexpected end of input" trace_id=4bf92f3577b34da6a3ce929d0e0e4736',
        "GET /api/v1/orders/203db13e-70c7-462b-9a3d-bf32640cb0be?page_token=12 HTTP/1.1 200 rt=0.004",
        "commit 5fbe526b1f1e9c1d0d7b3a4a6a0f6d6d2b7d1c33 author=ann",
        "image shop/cart@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "pod checkout-service-7d9c8b6f5d-x2kqz restarted, uid 203db13e-70c7-462b-9a3d-bf32640cb0be",
        "SELECT token, secret FROM sessions WHERE key = $1 AND password_hash IS NOT NULL",
        "secretName: db-credentials, serviceAccountToken expirationSeconds: 3607, tokens=512",
        "https://example.org:8443/path?email=a@b.example",
        'psql: error: connection to server at "db" (10.0.0.4), port 5432 failed: FATAL: no such role',
        "cache key=user:1234:cart auth=none session=expired",
        "kafka offset=12345678901234 partition_key=eu-west-1 api_version=v1beta1",
        "wrong password: incorrect",
        "password=${DB_PASSWORD} token=<none> secret=********",
        "global-load-balancer-backend-service-7 is down; disk-usage-high-threshold-exceeded on node",
        'etag="W/abcdefABCDEF0123456789abcdefABCDEF012345"',
        "Basic authentication required; Bearer authentication is not configured",
        "starting worker pid=7 pwd=/srv/shop/current user=www",
        'PWD=/app OLDPWD="/var/lib/app-2.1" SHLVL=1',
        "pwd: /home/deploy/releases/12",
        "pwd=C:\\inetpub\\shop",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert REDACTOR.text(text).text == text
    assert document({"text": text})[1] == 0


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("pwd=hunter2", "hunter2"),
        ("pwd=/x9Kd83hfL02mQ/a", "/x9Kd83hfL02mQ/a"),
        ("pwd=/s3cr3t", "/s3cr3t"),
        ("DB_PWD=/srv/shop", "/srv/shop"),
        ("password=/srv/shop", "/srv/shop"),
    ],
)
def test_what_pwd_is_set_to_stays_only_if_it_is_a_folder(text: str, secret: str) -> None:
    assert secret not in REDACTOR.text(text).text
    name, value = text.split("=")
    assert secret not in document({name: value})[0]


@pytest.mark.parametrize("value", [{"PWD": "/srv/shop"}, {"name": "PWD", "value": "/srv/shop"}])
def test_the_working_folder_of_a_document_stays(value: object) -> None:
    assert document(value)[1] == 0


def test_what_was_redacted_is_not_redacted_again() -> None:
    once = REDACTOR.text("password=hunter2hunter2 at postgres://app:s3cr3t@db")
    assert once.count == 2
    assert REDACTOR.text(once.text).text == once.text


def test_a_private_key_is_taken_out_over_the_lines_of_a_log_and_within_one_text() -> None:
    lines = pem_lines()
    whole = "\n".join([KEY_BEGINS, *lines, KEY_ENDS])
    within = REDACTOR.text(f"before {whole} after")
    assert within.text == "before [redacted:private-key] after"
    escaped = REDACTOR.text(json.dumps({"key": whole, "next": "kept"}))
    assert "kept" in escaped.text
    log = {
        "lines": [{"n": n, "text": text} for n, text in enumerate(["start", *whole.split("\n"), "end"], 1)]
    }
    text, count = document(log)
    assert not any(line in shown for line in lines for shown in (within.text, escaped.text, text))
    assert ('"start"' in text, '"end"' in text, count) == (True, True, 5)


def test_a_key_without_its_end_is_taken_out_as_far_as_it_goes_on() -> None:
    lines = pem_lines()
    found = REDACTOR.text("\n".join([KEY_BEGINS, *lines, "2026-11-30 INFO next"]))
    assert found.text == "[redacted:private-key]\n2026-11-30 INFO next"


def test_a_line_of_a_key_is_known_without_the_lines_around_it() -> None:
    assert REDACTOR.text(pem_lines()[0]).text == "[redacted:key-material]"


def test_the_values_of_a_kubernetes_secret_that_is_written_out() -> None:
    manifest = (
        "kind: Secret\nmetadata:\n  name: db\ndata:\n  user: YWRtaW4=\n  other: aHVudGVyMg==\ntype: Opaque"
    )
    found = REDACTOR.text(manifest)
    assert "YWRtaW4" not in found.text
    assert "aHVudGVyMg" not in found.text
    assert ("name: db" in found.text, "type: Opaque" in found.text) == (True, True)
    lines = {"lines": [{"text": line} for line in manifest.split("\n")]}
    assert document(lines)[1] == 2
    assert REDACTOR.text(manifest.replace("Secret", "ConfigMap")).count == 0


@pytest.mark.parametrize(
    "value",
    [
        {"password": "hunter2"},
        {"value": {"spec": {"dbPassword": "hunter2"}}},
        {"password": 12345678},
        {"name": "DB_PASSWORD", "value": "hunter2"},
        {"path": "Containers/app/Environment/PGPASSWORD", "value": "hunter2"},
        [
            {"path": "spec/containers/0/env/1/name", "value": "ADMIN_PASSWORD"},
            {"path": "spec/containers/0/env/1/value", "value": "hunter2"},
        ],
        [
            {"path": "spec/containers/0/args/0", "value": "--password"},
            {"path": "spec/containers/0/args/1", "value": "hunter2"},
        ],
        ["--password", "hunter2"],
        {"passwords": {"password": "hunter2"}},
    ],
)
def test_a_value_that_its_name_makes_a_secret(value: object) -> None:
    text, count = document(value)
    assert count == 1, text
    assert "hunter2" not in text
    assert "12345678" not in text
    assert "[redacted:named-value]" in text


@pytest.mark.parametrize(
    "value",
    [
        {"password": None},
        {"password": ""},
        {"secret": {"secretName": "db-credentials"}},
        {"token": "********"},
        {"path": "Environment/DB_PASSWORD", "value": "<set to the key 'password' in secret 'db'>"},
        {"labels": {"secret": "db-credentials", "pod": "cart-7d9c8b6f5d-x2kqz"}},
        {"tokens": 512, "time": "2026-11-30T09:10:53Z"},
    ],
)
def test_a_value_that_is_no_secret_whatever_its_name(value: object) -> None:
    assert document(value)[1] == 0


def test_a_name_over_several_lines_is_that_of_a_password_by_its_end() -> None:
    assert document({"set\nfor the db.password": "hunter2"})[1] == 1


def test_keys_are_redacted_and_stay_apart() -> None:
    first, second = secrets()["github"], secrets()["github"]
    found = REDACTOR.document({first: NumberToken("1"), second: NumberToken("2")})
    assert found.document == {
        "[redacted:github-token]": NumberToken("1"),
        "[redacted:github-token] (2)": NumberToken("2"),
    }


_JSON = st.recursive(
    st.none() | st.booleans() | st.text() | st.integers().map(lambda n: NumberToken(str(n))),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(_JSON, st.sampled_from(sorted(secrets())))
def test_whatever_stands_around_a_secret_it_is_found_and_the_rest_is_the_same(value: Json, name: str) -> None:
    secret = secrets()[name]
    (text, *_) = said(name, secret)
    assert REDACTOR.document(value).count == 0 or holds_marker(
        dumps(REDACTOR.document(value).document).decode()
    )
    found = REDACTOR.document({"before": value, "text": text})
    assert secret not in dumps(found.document).decode()
    assert isinstance(found.document, dict)
    assert found.document["before"] == REDACTOR.document(value).document


@given(st.text())
def test_any_text_is_redacted_once(text: str) -> None:
    found = REDACTOR.text(text)
    assert (found.count == 0) == (found.text == text) or holds_marker(text)


def test_lone_surrogates_do_not_stop_it() -> None:
    assert (
        REDACTOR.text("\ud800 password=hunter2 \udfff").text == "\ud800 password=[redacted:password] \udfff"
    )


def test_configured_patterns_come_beside_the_table() -> None:
    redactor = pickle.loads(pickle.dumps(Redactor([r"acct-[0-9]{6}", "größe=[0-9]+"])))  # noqa: S301 - made here
    found = redactor.text("acct-123456 größe=17 password=hunter2")
    assert found.text == "[redacted:configured] [redacted:configured] password=[redacted:password]"


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("canary(", "is no regular expression of RE2: missing )"),
        (r"(?=canary)", "is no regular expression of RE2: invalid perl operator"),
        ("canary*|", "matches an empty text"),
        ("c" * (MAX_PATTERN_CHARS + 1), "is longer than 1024 characters"),
    ],
)
def test_a_pattern_that_cannot_be_used_is_named_and_not_quoted(pattern: str, reason: str) -> None:
    with pytest.raises(PatternError) as caught:
        Redactor(["fine", pattern])
    assert str(caught.value).startswith("pattern 2 ")
    assert reason in str(caught.value)
    assert "canary" not in str(caught.value)


def test_a_pattern_that_would_hold_others_for_ever_does_its_work() -> None:
    redactor = Redactor(["(a+)+$", "(x|xx)+y"])
    assert redactor.text("a" * 30 + "!").count == 0
    assert redactor.text("a" * 30).text == "[redacted:configured]"


def test_a_marker_is_known() -> None:
    assert is_marker("[redacted:url]")
    assert not is_marker("[redacted:url] ")
    assert citable_parts("a [redacted:url]b") == ["a ", "b"]
