"""Ranks series with the scorers of fse-baro; run by the Python of a folder that has that package.

Reads a JSON list of {"inject_time", "columns": {name: [values]}} from standard input, and writes the ranked
names of each by scorer. It imports nothing of the project.
"""

import importlib
import json
import sys
from typing import Any

SCORERS = ("robust_scorer", "nsigma")


def main() -> None:
    """Rank every table by every scorer."""
    pandas: Any = importlib.import_module("pandas")
    baro: Any = importlib.import_module("baro.root_cause_analysis")
    tables = json.load(sys.stdin)
    ranks = {
        scorer: [
            getattr(baro, scorer)(
                pandas.DataFrame(table["columns"]).ffill().fillna(0), inject_time=table["inject_time"]
            )["ranks"]
            for table in tables
        ]
        for scorer in SCORERS
    }
    json.dump(ranks, sys.stdout)


if __name__ == "__main__":
    main()
