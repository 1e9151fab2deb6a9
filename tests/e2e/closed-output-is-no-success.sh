# Whose standard output is closed has told nobody: exit 3, as on a full disk, for
# every program and command that prints a result; and no file that is opened
# later gets what was meant for it.
. tests/lib.sh
kf=$BIN/kernelforge

closed() {
	got=0
	"$@" >&- 2>"$tmp/err" || got=$?
	check "$*: 3, not $got" test "$got" = 3
	check "it says so: $*" grep -q 'could not be written' "$tmp/err"
}

for program in kernelforge kf-gateway kf-chaos; do
	closed "$BIN/$program" --help
	closed "$BIN/$program" --version
	closed "$BIN/$program" --commands
	for command in $("$BIN/$program" --commands); do
		closed "$BIN/$program" "$command" --help
	done
done
closed "$BIN"/kf-view --help
closed "$kf" ops
closed "$kf" ops rope --json
closed "$kf" mutants kernels/plain/relu.cl
closed "$BIN"/kf-chaos schema
got=0
"$kf" ops <&- >"$tmp/out" || got=$?
check "a closed input hinders nobody" test $got = 0 -a -s "$tmp/out"
"$kf" doctor >"$tmp/out" 2>&1 || exit 0
closed "$kf" verify relu kernels/plain/relu.cl --skip holdouts --skip coverage
