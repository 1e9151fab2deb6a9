# docs/dependencies.md tells of each package that setup.sh installs and of each
# npm package of tests/clients, under its heading, in a sentence, and of no other.
. tests/lib.sh
need jq
page=docs/dependencies.md

# The lists of setup.sh: $run, $test, $video, $check.
eval "$(sed -n '/^run=/,/^check=/p' setup.sh)"
words() { printf '%s\n' "$@" | sort; }

# What the tables under "## HEADING" name in the column called COLUMN.
told() { # HEADING COLUMN
	awk -F'|' -v heading="## $1" -v column="$2" '
	/^## / { here = $0 == heading }
	!here || !/^\|/ { table = 0; next }
	!table { table = 1; wanted = $2 == " " column " "; next }
	wanted && !/---/ && NF == 4 && length($3) > 10 {
		gsub(/[`, ]+/, "\n", $2)
		print $2
	}' "$page" | sed '/^$/d' | sort
}

same() { # HEADING COLUMN: $tmp/want are the packages it names
	told "$1" "$2" >"$tmp/told"
	check "\"$1\" names ${2}s" test -s "$tmp/told"
	check "the ${2}s of \"$1\" are those that are installed" diff "$tmp/want" "$tmp/told"
}

words $run >"$tmp/want"
same "To build and to run" package
words $test >"$tmp/want"
same "For the tests" package
words $video >"$tmp/want"
same "For the video" package
words $check >"$tmp/want"
same "For the checks" package
jq -r '.dependencies + .optionalDependencies | keys[]' tests/clients/package.json | sort >"$tmp/want"
same "For the tests" "npm package"
