#!/bin/sh
# clang-tidy over the files named on standard input, a process a core; the
# arguments are the compiler's.  With a malformed .clang-tidy clang-tidy says
# so and exits 0, so a planted fault must be found first: one the checks see,
# one the analyzer sees.
set -eu
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
clang-tidy --quiet "$tmp/planted.c" -- -std=c11 >"$tmp/found" 2>&1 || true
for check in clang-analyzer-core.NullDereference bugprone-branch-clone; do
	grep -q "\[$check," "$tmp/found" || {
		echo "tidy: the planted $check is not found" >&2
		cat "$tmp/found" >&2
		exit 1
	}
done

rc=0
xargs -P "$(nproc)" -I{} clang-tidy --quiet {} -- "$@" 2>"$tmp/said" || rc=1
# Else clang-tidy's only words there count what it leaves out.
grep -v '^[0-9]* warnings* generated\.$' "$tmp/said" >&2 || true
exit $rc
