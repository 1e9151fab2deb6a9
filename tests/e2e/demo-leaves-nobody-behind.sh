# Whatever ends the demo ends all that it started, and a program that dies in
# the middle is named, with exit 3.
. tests/lib.sh
need pgrep
mkdir "$tmp/tmp"
begin() { # NAME: the demo is in the middle of its run; its pids
	# A test that was begun by nohup must not hand that on.
	TMPDIR=$tmp/tmp BIN=$BIN env --default-signal=HUP setsid ./run_demo.sh --out "$tmp/$1" >"$tmp/$1.out" 2>"$tmp/$1.err" &
	demo=$!
	await pgrep -P "$demo" -x kernelforge
	gateway=$(pgrep -P "$demo" -x kf-gateway) chaos=$(pgrep -P "$demo" -x kf-chaos) agent=$(pgrep -P "$demo" -x kernelforge)
	await test -s "$tmp/$1/ledger.jsonl" -o -s "$tmp/$1/naive.jsonl"
}
gone() { ! kill -0 "$@" 2>/dev/null; }
nobody() { gone "$gateway" && gone "$chaos" && gone "$agent"; }
no_folder() { [ -z "$(ls "$tmp/tmp")" ]; }
end() { # EXIT
	got=0
	wait "$demo" || got=$?
	[ "$got" = "$1" ] || fail "exit $1, got $got"
	await nobody
}

for victim in gateway chaos; do
	begin "dies-$victim"
	eval "kill -KILL \$$victim"
	end 3
	check "$victim is named" grep -q "kf-$victim died in the middle of the run (exit 137, signal 9)" "$tmp/dies-$victim.err"
done
await no_folder

begin hup
kill -HUP "$demo"
end 129
await no_folder

begin killed
kill -KILL "$demo"
end 137
