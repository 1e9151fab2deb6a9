# Answers that were made before standard input ended are read whole by a reader
# that is slow; one that never reads does not keep the server.
. tests/lib.sh
need python3
export BIN
PYTHONPATH=tests/clients python3 - <<'PY' || fail "what the client expected"
import subprocess, time
from mcp_client import *

ask = b'{"jsonrpc":"2.0","id":%d,"method":"tools/list"}\n'

def server(**more):
    return Stdio(stderr=subprocess.PIPE, **more).process

# more than a pipe holds, and nothing is read before the input has ended
slow = server()
slow.stdin.write(b"".join(ask % i for i in range(30)))
slow.stdin.close()
time.sleep(1)
lines = slow.stdout.read().splitlines(True)
assert [json.loads(x)["id"] for x in lines] == list(range(30)) and lines[-1].endswith(b"\n")
assert slow.wait() == 0

# nobody reads: neither few answers keep it, nor so many that it reads no more
few = server()
few.stdin.write(b"".join(ask % i for i in range(30)))
few.stdin.close()
many = server()
os.set_blocking(many.stdin.fileno(), False)
full = 0
while full < 20:
    try:
        os.write(many.stdin.fileno(), ask % 1 * 100)
        full = 0
    except BlockingIOError:
        full += 1
        time.sleep(0.1)
many.stdin.close()
for deaf in (few, many):
    assert deaf.wait(60) != 0
    said = deaf.stderr.read()
    assert said.count(b"\n") == 1 and b"nobody reads" in said, said

# a file in its place, and a reader that pauses
with open("/dev/shm/mcp-%d" % os.getpid(), "w+b") as file:
    os.unlink(file.name)
    file.write(b"".join(ask % i for i in range(3000)))
    file.seek(0)
    p = subprocess.Popen([os.environ["BIN"] + "/kernelforge", "mcp"], stdin=file, stdout=subprocess.PIPE)
    time.sleep(1)
    assert len(p.stdout.read().splitlines()) == 3000 and p.wait() == 0
PY
