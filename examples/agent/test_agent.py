"""Chaos in a test of your own: kf-chaos plays storm.json, the agent has to come
through, and kf-chaos itself ends with 1 if a fault of the scenario was never
reached, so that a green test has been through the storm.

    python3 -m unittest discover examples/agent
"""
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).parent
KF_CHAOS = os.environ.get("KF_CHAOS", "build/kf-chaos")


class Storm(unittest.TestCase):
    def setUp(self):
        self.chaos = subprocess.Popen(
            [KF_CHAOS, "--scenario", HERE / "storm.json", "--admin", "127.0.0.1:0"],
            stdout=subprocess.PIPE,
            text=True,
        )
        ready = self.chaos.stdout.readline()  # ready model=127.0.0.1:PORT admin=...
        self.assertTrue(ready, "kf-chaos says above why it does not start")
        self.model = dict(word.split("=") for word in ready.split()[1:])["model"]

    def tearDown(self):
        if self.chaos.poll() is None:
            self.chaos.kill()
        self.chaos.communicate()

    def test_comes_through(self):
        agent = subprocess.run(
            [sys.executable, HERE / "agent.py"],
            env=dict(os.environ, OPENAI_BASE_URL=f"http://{self.model}/v1"),
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(agent.returncode, 0, agent.stderr)
        self.assertTrue(agent.stdout.strip())
        self.chaos.terminate()
        self.assertEqual(self.chaos.wait(10), 0, "both faults were met")


if __name__ == "__main__":
    unittest.main()
