"""A bundle in which a secret of each format stands wherever a system could write one."""

import json
from collections.abc import Mapping
from pathlib import Path

from tests.fakes import canaries
from tests.fakes.incident import Incident
from tests.fakes.secrets import pem_lines, said, secrets


class Planted:
    """A bundle with a secret of each format wherever a system could write it."""

    def __init__(self, folder: Path) -> None:
        self.logged, self.failing, self.named = secrets(), secrets(), secrets()
        self.key = pem_lines()
        self.custom = canaries.canary()
        incident = Incident()
        front, back = incident.names.front, incident.names.back
        for position, (name, secret) in enumerate(self.logged.items()):
            for text in said(name, secret):
                incident.log(front, 12 + position, f"INFO {text}")
        for position, (name, secret) in enumerate(self.failing.items()):
            for text in said(name, secret):
                incident.log(front, 320 + position, f"ERROR could not connect to stock: {text}")
        incident.log(front, 40, f"INFO loaded {self.custom}")
        block = ["-----BEGIN PRIVATE KEY-----", *self.key, "-----END PRIVATE KEY-----"]
        incident.log(back, 330, "ERROR bad key\n" + "\n".join(block))
        incident.change(300, back, "config", f"{back}: password={self.named['password']} was set")
        incident.alerts.append(
            {
                "labels": {"alertname": "Down", "service": back, "token": self.named["api-key"]},
                "state": "firing",
            }
        )
        self.bundle = incident.write(folder)
        environment = [{"name": "DB_PASSWORD", "value": self.named["uuid"]}]
        container = {"name": "app", "env": environment, "args": ["--token", self.named["github"]]}
        pod = {
            "kind": "Pod",
            "apiVersion": "v1",
            "metadata": {"name": "stock-1"},
            "spec": {"containers": [container]},
        }
        (self.bundle / "pods.json").write_text(
            json.dumps({"kind": "List", "apiVersion": "v1", "items": [pod]})
        )

    @property
    def texts(self) -> dict[str, str]:
        found = {f"logged-{name}": text for name, text in self.logged.items()}
        found |= {f"failing-{name}": text for name, text in self.failing.items()}
        found |= {f"key-{number}": line for number, line in enumerate(self.key)}
        named = ("password", "api-key", "uuid", "github")
        return found | {f"named-{name}": self.named[name] for name in named} | {"custom": self.custom}


def nowhere(places: Mapping[str, bytes], texts: Mapping[str, str]) -> bool:
    """Assert that no place holds one of the texts."""
    found = canaries.where(places, texts)
    assert {name: where for name, where in found.items() if where} == {}
    return True
