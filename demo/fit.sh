# `. fit.sh`: fit passes a page of help on, wrapped at words where whoever
# reads it is narrower: the terminal, or what COLUMNS says.  An option's words
# stand below it then.
fit() {
	columns=${COLUMNS-}
	[ ! -t 1 ] || { columns=$(stty size <&3 2>/dev/null); columns=${columns#* }; } 3>&1
	case $columns in
	'' | *[!0-9]* | 0) columns=1000 ;;
	esac
	awk -v width="$columns" '
	function put(text, indent,    n, i, words, line) {
		n = split(text, words, " ")
		line = sprintf("%" indent "s", "")
		for (i = 1; i <= n; i++) {
			if (i > 1 && length(line) + 1 + length(words[i]) > width) {
				print line
				line = sprintf("%" indent "s", "")
			} else if (i > 1)
				line = line " "
			line = line words[i]
		}
		print line
	}
	function end_paragraph() {
		if (paragraph != "")
			put(paragraph, 0)
		paragraph = ""
	}
	{ lines[NR] = $0; if (length($0) > width) is_narrow = 1 }
	END {
		for (k = 1; k <= NR; k++) {
			if (!is_narrow || lines[k] == "") {
				end_paragraph()
				print lines[k]
				continue
			}
			match(lines[k], /^ */)
			lead = RLENGTH
			rest = substr(lines[k], lead + 1)
			if (match(rest, /[^.]  +/)) { # an option and its words
				end_paragraph()
				put(substr(rest, 1, RSTART), lead)
				put(substr(rest, RSTART + RLENGTH), 6)
			} else if (lead > 0) {
				end_paragraph()
				put(rest, lead > 6 ? 6 : lead)
			} else
				paragraph = paragraph " " rest
		}
		end_paragraph()
	}'
}
