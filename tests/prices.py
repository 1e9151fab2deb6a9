"""prices.py TABLE.json: whether the prices that kf-gateway has built in are those of a
table of LiteLLM's form (model_prices_and_context_window.json, which its package
holds).  Exit 1 where one differs or is not there.  KF_GATEWAY: the program.
"""
import json
import os
import subprocess
import sys

FIELDS = [("input", "input_cost_per_token"), ("cached_input", "cache_read_input_token_cost"), ("output", "output_cost_per_token")]

with open(sys.argv[1], encoding="utf-8") as f:
    table = json.load(f)
rows = json.loads(subprocess.check_output([os.environ.get("KF_GATEWAY", "build/kf-gateway"), "prices", "--json"]))
differs = 0
for row in rows:
    model = row["target"].split("/", 1)[1]
    there = table.get(model)
    if not there:
        print(f"{model}: not there")
    # Without a price for a cache it is the input's.
    theirs = {ours: there.get(name) if there.get(name) is not None else there.get("input_cost_per_token") for ours, name in FIELDS} if there else {}
    other = [f"{ours} {row[ours]:g}, there {v * 1e6:g}" for ours, v in theirs.items() if v is None or abs(v * 1e6 - row[ours]) > 1e-9]
    if other:
        print(f"{model}: {'; '.join(other)}")
    differs += not there or bool(other)
print(f"{len(rows)} models, {differs} differ")
sys.exit(1 if differs else 0)
