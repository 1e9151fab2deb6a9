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
