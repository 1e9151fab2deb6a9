"""What the agent and all below it cost the machine, while a command runs:

	python3 bench/pss.py ./run_demo.sh --scenario full_suite --jobs 2

PSS (each page divided by those that share it, from smaps_rollup), added over
the process called kernelforge below the command and all of its descendants,
four times a second; the peak, and who it was made of.
"""
import os
import subprocess
import sys
import time


def processes():
    """Of each parent its children."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                text = stat.read()
        except OSError:
            continue
        name = text[text.index("(") + 1 : text.rindex(")")]
        parent = int(text[text.rindex(")") + 2 :].split()[1])
        found.setdefault(parent, []).append((int(pid), name))
    return found


def below(found, pid):
    for child, name in found.get(pid, []):
        yield child, name
        yield from below(found, child)


def pss_kib(pid):
    try:
        with open(f"/proc/{pid}/smaps_rollup") as rollup:
            return next(int(line.split()[1]) for line in rollup if line.startswith("Pss:"))
    except (OSError, StopIteration):  # it ended meanwhile
        return 0


begin = time.time()
command = subprocess.Popen(sys.argv[1:])
sums, peak = [], (0, 0, [])
while command.poll() is None:
    found = processes()
    agent = next((pid for pid, name in below(found, command.pid) if name == "kernelforge"), None)
    if agent:
        tree = [(agent, "kernelforge"), *below(found, agent)]
        each = sorted(((pss_kib(pid), name) for pid, name in tree), reverse=True)
        sums.append(sum(kib for kib, _ in each))
        peak = max(peak, (sums[-1], time.time() - begin, each))
    time.sleep(0.25)
sums.sort()
if sums:
    print(f"peak {peak[0] / 1024:.0f} MiB at {peak[1]:.0f} s, {len(peak[2])} processes; "
          f"99 of 100 of {len(sums)} samples under {sums[len(sums) * 99 // 100] / 1024:.0f}, half under {sums[len(sums) // 2] / 1024:.0f}")
    for kib, name in peak[2]:
        if kib > 1024:
            print(f"  {kib / 1024:4.0f} MiB {name}")
sys.exit(command.returncode)
