"""Prints the drawing of the diagnosis graph."""

import sys

from orchestrator.graph import DIAGNOSIS, draw

if __name__ == "__main__":
    sys.stdout.write(draw(DIAGNOSIS))
