"""What is counted of the calls of a process's own methods."""

from typing import Final

import grpc

from services.common.rpc.callers import TABLE
from services.common.telemetry.metrics import Gauge, Histogram

CALL_SECONDS: Final = Histogram(
    "assay_rpc_duration_seconds",
    "Calls of the process's own methods, by status code; those that stream, too.",
    {"method": TABLE.keys(), "code": [code.name for code in grpc.StatusCode]},
)
CALLS_NOW: Final = Gauge("assay_rpcs_under_way", "Calls of the process's own methods that run.")
