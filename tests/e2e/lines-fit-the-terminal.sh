# On a terminal of 40, 60 and 80 columns no line of any program's --help, of any
# command's, of doctor or of a list is wider than the terminal.
. tests/lib.sh
need python3
kernel=scenarios/rope_demo/answers/deepseek-v4-flash/rope.cl
{
	for program in kernelforge kf-gateway kf-chaos kf-view; do
		echo "$BIN/$program --help"
		[ $program != kf-view ] || continue
		for command in $("$BIN/$program" --commands); do
			echo "$BIN/$program $command --help"
		done
	done
	for script in run_demo.sh setup.sh demo/record.sh demo/video.sh; do
		echo "sh $script --help"
	done
	echo "$BIN/kernelforge ops"
	for op in $("$BIN"/kernelforge ops --json | python3 -c 'import json, sys; print(*(o["name"] for o in json.load(sys.stdin)))'); do
		echo "$BIN/kernelforge ops $op"
	done
	echo "$BIN/kernelforge mutants $kernel"
	echo "$BIN/kf-chaos audit --list"
	echo "$BIN/kf-chaos check examples/gateway/models.json"
	echo "$BIN/kf-gateway prices"
	echo "$BIN/kf-gateway prices --config examples/gateway/two-models.yaml"
	echo "$BIN/kf-gateway check examples/gateway/two-models.yaml"
} >"$tmp/commands"
check "every command is looked at" [ "$(wc -l <"$tmp/commands")" -gt 60 ]
python3 tests/fits.py 40,60,80 <"$tmp/commands" >"$tmp/wide" || fail "lines that are wider than the terminal: $(cat "$tmp/wide")"
"$BIN"/kernelforge doctor >/dev/null 2>&1 || { echo "no device here: the rest is looked at"; exit 0; }
{
	echo "$BIN/kernelforge doctor"
	echo "$BIN/kernelforge verify rope $kernel --skip holdouts --skip oclgrind --skip replay"
} | python3 tests/fits.py 40 >"$tmp/wide" || fail "lines that are wider than the terminal: $(cat "$tmp/wide")"
