"""The SQLite schema, version by version. Bodies are protobuf bytes, stored once.

A new file takes every version in turn, so that an upgraded file and a new one are the same.
"""

from collections.abc import Sequence
from typing import Final

VERSIONS: Final[Sequence[Sequence[str]]] = (
    (
        """
        CREATE TABLE diagnosis_run (
            run_id               TEXT PRIMARY KEY,
            status               INTEGER NOT NULL,
            create_time          TEXT NOT NULL,
            evidence_retry_count INTEGER NOT NULL DEFAULT 0,
            body                 BLOB NOT NULL,
            self_evaluation      TEXT NOT NULL DEFAULT '{}'
        )
        """,
        "CREATE INDEX diagnosis_run_by_status ON diagnosis_run (status, create_time)",
        """
        CREATE TABLE tool_invocation (
            run_id        TEXT NOT NULL REFERENCES diagnosis_run ON DELETE CASCADE,
            invocation_id TEXT NOT NULL,
            position      INTEGER NOT NULL,
            body          BLOB NOT NULL,
            output        BLOB NOT NULL,
            PRIMARY KEY (run_id, invocation_id)
        )
        """,
        """
        CREATE TABLE orchestration_event (
            run_id   TEXT NOT NULL REFERENCES diagnosis_run ON DELETE CASCADE,
            sequence INTEGER NOT NULL,
            body     BLOB NOT NULL,
            PRIMARY KEY (run_id, sequence)
        )
        """,
        """
        CREATE TABLE run_state (
            run_id TEXT PRIMARY KEY REFERENCES diagnosis_run ON DELETE CASCADE,
            step   INTEGER NOT NULL,
            body   BLOB NOT NULL
        )
        """,
    ),
    (
        # A list of runs reads no body: bodies hold whole answers.
        "ALTER TABLE diagnosis_run ADD COLUMN summary BLOB NOT NULL DEFAULT x''",
        # From here on create_time has nine digits of a second, so that its text sorts as its time.
        "CREATE INDEX diagnosis_run_by_time ON diagnosis_run (create_time, run_id)",
        """
        CREATE TABLE submission (
            idempotency_key TEXT PRIMARY KEY,
            request_sha256  BLOB NOT NULL,
            run_id          TEXT NOT NULL REFERENCES diagnosis_run ON DELETE CASCADE
        )
        """,
        "CREATE INDEX submission_by_run ON submission (run_id)",
    ),
    # Version 3 changes no table: summaries are written anew, with the first suspect.
    (),
)

VERSION: Final = len(VERSIONS)
