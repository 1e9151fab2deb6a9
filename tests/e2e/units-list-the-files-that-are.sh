# The table of a unit program's groups names the test files that are there: one
# that was removed or renamed leaves it, although no file is newer for it.
. tests/lib.sh
need make
mkdir "$tmp/build"
table=$tmp/build/unit-cltext-groups.inc
echo 'GROUP(t_gone)' >"$table"
exits 0 env -u MAKEFLAGS make --no-print-directory "O=$tmp/build" "$table"
lacks "what is gone is not in it" -q t_gone "$table"
check "what is there is" test "$(wc -l <"$table")" = "$(find tests/unit/cltext -name 't_*.c' | wc -l)"
touch -d '2001-01-01' "$table"
exits 0 env -u MAKEFLAGS make --no-print-directory "O=$tmp/build" "$table"
check "the same list is not written again" test -z "$(find "$table" -newermt 2002-01-01)"

# A group that checks nothing fails, and the runner says why.
need cc
cat >"$tmp/groups.c" <<'END'
#include "tests/unit.h"
void t_idle(void);
void t_busy(void);
void t_idle(void) { }
void t_busy(void) { CHECK(true, "a check"); }
END
printf 'GROUP(t_idle)\nGROUP(t_busy)\n' >"$tmp/groups.inc"
exits 0 cc -std=c11 -D_GNU_SOURCE -I. "-DUNIT_GROUPS=\"$tmp/groups.inc\"" -o "$tmp/unit" \
    tests/unit.c "$tmp/groups.c" base/files.c base/mem.c base/err.c base/slice.c base/log.c base/clock.c base/mask.c base/terminal.c -ljansson
exits 1 "$tmp/unit"
check "who checks nothing is named" grep -q '^FAIL idle: it checks nothing$' "$tmp/out"
check "the other passes" grep -q '^ok   busy$' "$tmp/out"
exits 0 "$tmp/unit" busy
exits 2 "$tmp/unit" nobody

# Who begins first is there: a name that is gone would begin last, and nobody would know why.
grep -v '^#' tests/longest >"$tmp/longest"
check "somebody begins first" test -s "$tmp/longest"
while read -r first group; do
	case $first in
	unit-*) there=tests/unit/${first#unit-}/t_$group.c ;;
	*) there=tests/e2e/$first.sh ;;
	esac
	check "tests/longest: $first $group is there" test -e "$there"
done <"$tmp/longest"
