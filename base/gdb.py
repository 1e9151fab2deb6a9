"""Shows our borrowed bytes as text in gdb.

    (gdb) source base/gdb.py
    (gdb) print head->target        "/v1/chat/completions" (20 bytes)

struct slice and struct buf hold no NUL, so gdb alone prints a pointer and
whatever lies behind it.
"""

import gdb

SHOWN = 400  # bytes; the rest is counted


class Bytes:
    def __init__(self, pointer, length):
        self.pointer, self.length = pointer, int(length)

    def to_string(self):
        if not int(self.pointer):
            return "nothing (NULL, %d bytes)" % self.length
        shown = min(self.length, SHOWN)
        text = self.pointer.string("latin-1", "replace", shown) if shown else ""
        more = "..." if shown < self.length else ""
        return '"%s"%s (%d bytes)' % (
            text.encode("unicode_escape").decode().replace('"', '\\"'), more, self.length)


def lookup(value):
    name = value.type.strip_typedefs().unqualified().tag
    if name == "slice":
        return Bytes(value["p"], value["n"])
    if name == "buf":
        return Bytes(value["data"], value["len"])
    return None


gdb.pretty_printers.append(lookup)
