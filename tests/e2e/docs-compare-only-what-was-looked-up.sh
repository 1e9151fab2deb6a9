# Every cell about another program in docs/comparison.md names a source of the
# table at its end, which has an address and a version, or says "not looked up".
. tests/lib.sh
sources() { # PAGE: wrong cells, one a line
	awk -F'|' '
	/^## Sources/ { at_sources = 1 }
	/^\| --- / { in_table = 1; next }
	!/^\|/ { in_table = 0; next }
	at_sources && in_table {
		key = $2; gsub(/ /, "", key); known[key] = 1
		if ($4 !~ /https:/ || $0 !~ /commit [0-9a-f]+|[0-9]+\.[0-9]+\.[0-9]+|20[0-9][0-9]|undated/) print "source " key ": no address or version"
		next
	}
	in_table {
		for (i = 4; i < NF; i++) {
			cell = $i; ncells++
			if (cell !~ /\[[A-Z]\]/ && cell !~ /not looked up/) print FNR ": no source: " cell
			while (match(cell, /\[[A-Z]\]/)) {
				used[substr(cell, RSTART + 1, 1)] = FNR
				cell = substr(cell, RSTART + 3)
			}
		}
	}
	END {
		for (k in used) if (!(k in known)) print used[k] ": unknown source " k
		for (k in known) if (!(k in used)) print "source " k " is not used"
		if (ncells < 30) print "only " ncells " cells"
	}' "$1"
}
sources docs/comparison.md >"$tmp/wrong"
[ ! -s "$tmp/wrong" ] || fail "every cell is sourced: $(cat "$tmp/wrong")"
sed 's/TCP connections \[T\]/TCP connections/; s/Go \[B\]/Go [X]/; s/^| N | .*/| N | KernelBench | its README |/' docs/comparison.md >"$tmp/page.md"
sources "$tmp/page.md" >"$tmp/wrong"
[ "$(wc -l <"$tmp/wrong")" = 3 ] || fail "a cell, a letter and a source that are none are seen: $(cat "$tmp/wrong")"
