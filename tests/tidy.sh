#!/bin/sh
# clang-tidy over the files named on standard input, a process a core, the largest
# first; the arguments are the compiler's.  The analyzer takes nine tenths of the
# time, in proportion to the states it may visit in a function: at a third of what
# it would take unasked it made every remark that it had ever made of this tree.
# With a malformed .clang-tidy clang-tidy says
# so and exits 0, so a planted fault must be found first: one the checks see,
# one the analyzer sees.
set -eu
states="-Xclang -analyzer-config -Xclang max-nodes=75000"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp .clang-tidy "$tmp"

cat >"$tmp/planted.c" <<'END'
int planted(const char *s);

int
planted(const char *s)
{
	char *none = 0;

	if (s == 0)
		return *none;
	if (*s)
		return sizeof s / sizeof *s;
	else
		return sizeof s / sizeof *s;
}
END
clang-tidy --quiet "$tmp/planted.c" -- -std=c11 $states >"$tmp/found" 2>&1 || true
for check in clang-analyzer-core.NullDereference bugprone-branch-clone; do
	grep -q "\[$check," "$tmp/found" || {
		echo "tidy: the planted $check is not found" >&2
		cat "$tmp/found" >&2
		exit 1
	}
done

rc=0
xargs ls -S | xargs -P "$(nproc)" -I{} clang-tidy --quiet {} -- "$@" $states 2>"$tmp/said" || rc=1
# Else clang-tidy's only words there count what it leaves out.
grep -v '^[0-9]* warnings* generated\.$' "$tmp/said" >&2 || true
exit $rc
