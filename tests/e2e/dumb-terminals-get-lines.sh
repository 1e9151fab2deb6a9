# A terminal on which nothing can be drawn (TERM=dumb, or none: an editor's
# shell, a serial line) gets the lines that a pipe gets, from every program:
# no escape sequence, and no line that is rewritten.
. tests/lib.sh
need script

on() { # TERM COMMAND: its output on such a terminal
	TERM=$1 script -qec "$2" /dev/null </dev/null | sed 's/\r$//'
}
esc=$(printf '\033') cr=$(printf '\r')
calm() { # WHAT
	[ -s "$tmp/told" ] || fail "$1 says something"
	lacks "$1: no escape sequence, no line rewritten" -q "[$esc$cr]" "$tmp/told"
}

rc=0
on dumb "sh demo/demo.sh --out $tmp/run" >"$tmp/told" || rc=$?
[ $rc = 0 ] || fail "the demo: $(tail -n 3 "$tmp/told")"
calm "the demo"
grep -q '^forge ★ rope verified' "$tmp/told" || fail "it tells its story"

for term in dumb ''; do
	for how in "kf-view $tmp/run" "kf-view $tmp/run --beat 3" "kernelforge report $tmp/run" \
	    "kernelforge run --scenario none" "kernelforge verify relu tests/corpus/good/relu_masks_by_its_sign.cl"; do
		on "$term" "$BIN/$how" >"$tmp/told"
		calm "TERM=$term $how"
	done
done
on dumb "$BIN/kernelforge run --ops relu,abs --base-url http://127.0.0.1:9/v1 --model m --out $tmp/live" >"$tmp/told"
calm "the board of a run"
on xterm "$BIN/kf-view $tmp/run --pace off" >"$tmp/told"
grep -q "$esc\[" "$tmp/told" || fail "another is drawn on"
