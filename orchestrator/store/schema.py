"""The SQLite schema and its version. Bodies are protobuf bytes, stored once."""

from typing import Final

VERSION: Final = 1

STATEMENTS: Final = (
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
)
