"""tests/fits.py WIDTHS: runs each command of standard input, a line each, on a
terminal of each width (40,60,80), and names every line that is wider.  A word
that stands alone is what somebody copies, and may be."""
import fcntl
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios


def output_at(command, width):
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    environment = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs,
                             stderr=theirs, env=dict(environment, TERM="xterm"))
    os.close(theirs)
    output = b""
    while True:
        try:
            some = os.read(ours, 65536)
        except OSError:  # the terminal's other end is closed
            break
        if not some:
            break
        output += some
    os.close(ours)
    child.wait()
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", output.decode())


def main():
    wide = 0
    for line in sys.stdin:
        command = shlex.split(line)
        for width in (int(w) for w in sys.argv[1].split(",")):
            output = output_at(command, width)
            if not output.strip():
                print(f"at {width} columns {line.strip()} says nothing")
                wide += 1
            for shown in re.split(r"[\r\n]+", output):
                if len(shown) > width and " " in shown.strip():
                    print(f"at {width} columns {line.strip()}: {shown}")
                    wide += 1
    return wide > 0


sys.exit(main())
