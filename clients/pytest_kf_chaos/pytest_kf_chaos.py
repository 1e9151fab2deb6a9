"""kf-chaos as a pytest fixture: start it, inject a fault by name, look at what came of it."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import pytest

READY_S = 20


def _program():
    here = pathlib.Path(__file__).resolve().parent.parent.parent / "build" / "kf-chaos"
    return os.environ.get("KF_CHAOS") or shutil.which("kf-chaos") or str(here)


class Chaos:
    """Faults are named first; the first use of an address starts the program."""

    def __init__(self, folder, upstream=None):
        self._folder = pathlib.Path(folder)
        self._proxy = {"listen": "127.0.0.1:0", **({"upstream": upstream} if upstream else {"mode": "standin"})}
        self._rules = [{"id": "seen", "when": {"always": True}, "fault": {"type": "latency"}, "also": True}]
        self._process = None
        self._address = None

    def fault(self, type, attempt=None, match=None, when=None, **attributes):
        """Injects a fault; attempt: only on that attempt of each call. Returns the rule's id."""
        if self._process:
            raise RuntimeError("name the faults before the first use of an address")
        rule = {"id": f"fault-{len(self._rules)}", "when": when or {"always": True}, "fault": {"type": type, **attributes}}
        match = {**(match or {}), **({"attempt": attempt} if attempt else {})}
        if match:
            rule["match"] = match
        self._rules.append(rule)
        return rule["id"]

    @property
    def url(self):
        if not self._process:
            self._start()
        return f"http://{self._address}"

    @property
    def base_url(self):
        return self.url + "/v1"

    def _start(self):
        scenario = {"chaos": 1, "name": "pytest", "seed": "1", "proxies": {"models": self._proxy}, "rules": self._rules}
        (self._folder / "scenario.json").write_text(json.dumps(scenario))
        self._process = subprocess.Popen(
            [_program(), "--scenario", str(self._folder / "scenario.json"), "--admin", "127.0.0.1:0", "--log", str(self._folder / "log"), "--with-parent", str(os.getpid())],
            stdout=subprocess.PIPE, stderr=(self._folder / "stderr").open("w"), text=True)
        for word in (self._process.stdout.readline() or "").split():
            if word.startswith("models="):
                self._address = word[len("models="):]
        if not self._address:
            self._process.wait(READY_S)
            raise RuntimeError((self._folder / "stderr").read_text().strip() or "kf-chaos did not start")

    def _lines(self):
        path = self._folder / "log"
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        return [line for line in lines if line.get("result")]

    def requests(self):
        """How many requests were answered so far."""
        return sum(1 for line in self._lines() if line["rule"] == "seen")

    def fired(self):
        """The faults that acted so far, in order: dicts with rule, fault, attempt, key."""
        return [line for line in self._lines() if line["rule"] != "seen" and line["result"] == "fired"]

    def stop(self):
        """Ends it; a fault that never acted is an error."""
        if not self._process:
            return
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(READY_S)
        self._process.stdout.close()
        idle = {rule["id"] for rule in self._rules[1:]} - {line["rule"] for line in self.fired()}
        faults = {rule["id"]: rule["fault"]["type"] for rule in self._rules}
        assert not idle, f"never acted: {', '.join(sorted(faults[i] for i in idle))}"


@pytest.fixture
def chaos_upstream():
    """Override it to put a real model behind the faults: a URL."""
    return None


@pytest.fixture
def chaos(chaos_upstream):
    with tempfile.TemporaryDirectory() as folder:
        c = Chaos(folder, chaos_upstream)
        try:
            yield c
            c.stop()
        finally:
            if c._process and c._process.poll() is None:
                c._process.kill()
                c._process.wait()
