"""What kind of change the words of a recorded change tell of."""

from services.executor.analyst.reading.words import vocabulary, words_of

# In this order: "migration deployed" is a change of data, "config rollout" one of configuration.
_FAULTS: tuple[tuple[str, str], ...] = (
    ("data.changed", "migration migrate import batch backfill ddl alter schema maintenance vacuum reindex"),
    ("config.changed", "config configuration setting settings flag parameter secret"),
    ("scale.changed", "scale scaled scaling replicas autoscale traffic capacity"),
    (
        "release.deployed",
        "deploy deployed deployment release rollout version image upgrade upgraded rollback",
    ),
    ("process.down", "restart restarted reboot rebooted failover started starting stopped killed"),
)
# What says that something was done and not what: a restart of a whole machine is told by the summary.
_VAGUE = vocabulary("maintenance change event ops operation infrastructure")
_RESTARTED = vocabulary("reboot rebooted rebooting failover")


def change_fault(kind: str, summary: str) -> str:
    """Return which kind of change it is, by its kind before its summary; empty when neither tells."""
    if words_of(kind) <= _VAGUE and words_of(summary) & _RESTARTED:
        return "process.down"
    for text in (kind, summary):
        words = words_of(text)
        for fault, signs in _FAULTS:
            if words & vocabulary(signs):
                return fault
    return ""
