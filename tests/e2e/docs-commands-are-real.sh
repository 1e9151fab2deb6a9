# Every command that a page shows can be given: the program and its command
# exist, --help tells of each option, make has the target, named files exist;
# and the --help of a program names every command that it has.
. tests/lib.sh

# "page<TAB>command" for each `command` in a text and each line of a shell
# block.  A code span may go on in the next line.
spans() {
	for page in README.md CONTRIBUTING.md SECURITY.md docs/*.md */README.md; do
		awk -v page="$page" '
		function tell(c) {
			gsub(/[ \n]+/, " ", c)
			print page "\t" c
		}
		function flush(n, i, part) {
			n = split(text, part, "`")
			for (i = 2; i <= n; i += 2)
				tell(part[i])
			text = ""
		}
		/^ *```/ { flush(); code = !code; shell = /```(sh( (slow|yours|root))?)?$/; next }
		code && shell { sub(/ #.*/, ""); tell($0) }
		code { next }
		/^$/ { flush() }
		{ text = text "\n" $0 }
		END { flush() }' "$page"
	done
}

# The commands among them, one a line, without "$ " and VARIABLE=value.
commands() {
	spans | sed 's/ && /\n/g; s/\t\$ /\t/' |
	    sed -E 's/"[^"]*"/QUOTED/g; s/\t([A-Z_]+=[^ ]* )+/\t/' |
	    grep -E '	(make|(\./[a-z_]+\.sh|(build/)?(kernelforge|kf-gateway|kf-chaos|kf-view|proving|unit-[a-z]+)))( |$)'
}

# --help of a program and its command, asked once.
help_of() { # PROGRAM [COMMAND]
	file=$tmp/help.$(echo "$*" | tr -c 'a-z\n' _)
	[ -e "$file" ] || "$@" --help >"$file" 2>&1 || { rm -f "$file"; return 1; }
	cat "$file"
}

is_target() { # TARGET
	case $1 in
	build/unit-*) [ -d "tests/unit/${1#build/unit-}" ] ;;
	*) grep -qE "^([a-z-]+ )*$1( [a-z-]+)*:" "$tmp/makefiles" ;;
	esac
}

wrong() {
	echo "$page: $1: $command" >&2
	bad=1
}

# PROGRAM [COMMAND] WORD...: options are in --help, files are there.
check_words() {
	program=$1
	shift
	case ${1:-} in
	[a-z]*)
		help_of "$program" "$1" >/dev/null || { wrong "no command $1"; return; }
		program="$program $1"
		shift ;;
	esac
	for word; do
		case $word in
		-- | '|' | '>'*) return ;;
		--*)
			word=${word%%=*}
			help_of $program | grep -qE -- "$word([^a-z-]|\$)" || wrong "no option $word" ;;
		scenarios/[a-z]* | tests/[a-z]* | kernels/[a-z]*)
			[ -e "$word" ] || wrong "no file $word" ;;
		esac
	done
}

commands >"$tmp/commands"
cat Makefile tests/*.mk bench/*.mk packaging/*.mk >"$tmp/makefiles"
check "the pages show commands" test "$(wc -l <"$tmp/commands")" -gt 50
set -f
bad=0
while IFS='	' read -r page command; do
	set -- $command
	first=$1
	shift
	case $first in
	make)
		for word; do
			case $word in
			*=* | -*) ;;
			*) is_target "$word" || wrong "no target $word" ;;
			esac
		done ;;
	./setup.sh) grep -q "^#	setup.sh ${1:-run} " setup.sh || wrong "no such use" ;;
	./*) check_words "$first" "$@" ;;
	build/unit-* | unit-*) [ -d "tests/unit/${first##*unit-}" ] || wrong "no such program" ;;
	*) check_words "$BIN/${first#build/}" "$@" ;;
	esac
done <"$tmp/commands"
check "all of them are real" [ $bad = 0 ]

for program in agent/kernelforge chaos/kf-chaos gateway/kf-gateway; do
	names=$("$BIN/${program#*/}" --commands)
	check "$program has commands" test "$names"
	help_of "$BIN/${program#*/}" >"$tmp/help"
	for name in $names; do
		check "$program tells of $name" grep -qw "$name" "$tmp/help"
		exits 0 "$BIN/${program#*/}" "$name" --help
	done
done
