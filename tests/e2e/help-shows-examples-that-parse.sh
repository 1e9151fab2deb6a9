# Every command's --help and -h end with examples, its manual page has the same;
# each begins with the command, gives options that it has, and fits a terminal.
. tests/lib.sh
look() { # PROGRAM [COMMAND]
	exits 0 "$@" --help
	cp "$tmp/out" "$tmp/help"
	exits 0 "$@" -h
	check "$*: -h is --help" cmp "$tmp/out" "$tmp/help"
	name="${1##*/}${2:+ $2}"
	awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' "$tmp/help" >&2 || fail "$name --help fits 80 columns"
	if [ -w /dev/full ]; then
		for word in --help --version --man; do
			got=0
			"$@" $word >/dev/full 2>/dev/null || got=$?
			check "$name $word that could not be written exits 3" [ $got = 3 ]
		done
	fi
	awk -v name="$name" '
	    /^examples:$/ { on = 1; next }
	    on && /^$/ { on = 0 }
	    on && /^  [^ ]/ { n++; if (index($0, "  " name) != 1 || length($0) > 80) { print; bad = 1 } else print substr($0, 3) >"/dev/fd/3" }
	    END { exit bad || n == 0 }' "$tmp/help" 3>"$tmp/examples" >&2 || fail "$name has examples that begin with it"
	for word in $(sed 's/ -- .*//' "$tmp/examples"); do
		case $word in --*) check "$name knows $word" grep -qE -- "^  $word( |\$)" "$tmp/help" ;; esac
	done
	exits 0 "$@" --man
	check "$name's page has as many" [ "$(sed -n '/^\.SH EXAMPLES/,/^\.SH EXIT/p' "$tmp/out" | grep -c '^\.TP')" = "$(wc -l <"$tmp/examples")" ]
}
for program in kernelforge kf-gateway kf-chaos; do
	[ $program = kernelforge ] || look "$BIN/$program"
	for command in $("$BIN/$program" --commands); do
		look "$BIN/$program" "$command"
	done
	exits 0 "$BIN/$program" -h
	awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' "$tmp/out" >&2 || fail "$program --help fits 80 columns"
done
look "$BIN"/kf-view
exits 0 sh run_demo.sh -h
check "run_demo.sh too" grep -q '^examples:' "$tmp/out"
exits 0 sh run_demo.sh --version
check "one version" [ "$(cut -d' ' -f2 "$tmp/out")" = "$("$BIN"/kf-view --version | cut -d' ' -f2)" ]
exits 0 sh setup.sh --help
if [ -w /dev/full ]; then
	for how in "run_demo.sh --help" "run_demo.sh --version" "setup.sh --help"; do
		got=0
		sh $how >/dev/full 2>/dev/null || got=$?
		check "$how that could not be written exits 3" [ $got = 3 ]
	done
fi
