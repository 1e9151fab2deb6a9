"""warm.py: a program that needs seconds to import its library, started at once.

    PYTHON warm.py serve SOCKET CLIENT.py     imports what CLIENT.py imports, and waits
    PYTHON -I -S warm.py run SOCKET WORD...   runs CLIENT.py WORD... in a copy of that process

A run has its own environment, working directory, output and exit status, and ends with whoever
asked for it: the library is imported once, all else is as in a fresh process.
"""
import ast
import json
import os
import select
import signal
import socket
import sys


def imports(path):
    """What the program does before it looks at the environment of a run."""
    with open(path, encoding="utf-8") as f:
        tree = ast.parse(f.read(), path)
    names = {"__file__": path}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "ask":
            return
        exec(compile(ast.Module([node], []), path, "exec"), names)


def child(path, order, fds):
    import runpy

    for i, fd in enumerate(fds):
        os.dup2(fd, i)
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["cwd"])
    sys.argv = [path, *order["words"]]
    sys.path[0] = os.path.dirname(path)
    code = 0
    try:
        runpy.run_path(path, run_name="__main__")
    except SystemExit as e:
        code = e.code if isinstance(e.code, int) else 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def attend(path, link):
    """One run: in a process of its own, so that the waiting one stays as it was."""
    text, fds, _, _ = socket.recv_fds(link, 1 << 20, 3)
    pid = os.fork()
    if pid == 0:
        link.close()
        os.setpgid(0, 0)
        child(path, json.loads(text), fds)
    for fd in fds:
        os.close(fd)
    done = os.pidfd_open(pid)
    ready, _, _ = select.select([link, done], [], [])
    if done not in ready:
        os.killpg(pid, signal.SIGKILL)  # whoever asked has gone
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    try:
        link.send(bytes([code if code >= 0 else 128 - code]))
    except OSError:
        pass
    os._exit(0)


def serve(at, path):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    imports(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(at)
    listener.listen(64)
    print("ready", flush=True)
    while True:
        link, _ = listener.accept()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            listener.close()
            attend(path, link)
        link.close()


def run(at, words):
    link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    link.connect(at)
    order = json.dumps({"env": dict(os.environ), "cwd": os.getcwd(), "words": words}).encode()
    socket.send_fds(link, [order], [0, 1, 2])
    said = link.recv(1)
    sys.exit(said[0] if said else 70)


if sys.argv[1] == "serve":
    serve(sys.argv[2], os.path.abspath(sys.argv[3]))
else:
    run(sys.argv[2], sys.argv[3:])
