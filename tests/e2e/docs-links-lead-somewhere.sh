# Every link of every page leads to a file and, behind a #, to a heading there;
# every file that a page or a source names by its path exists.
. tests/lib.sh

pages() {
	find . -name '*.md' -not -path '*/node_modules/*' -not -path '*/venv/*' -not -path './runs/*' \
	    -not -path './build*' | sed 's|^\./||' | sort
}

# "page line target" for each link outside of code blocks.
links() {
	pages | while read -r page; do
		awk -v page="$page" '
		/^ *```/ { code = !code; next }
		code { next }
		{
			while (match($0, /\]\([^) ]+/)) {
				print page, FNR, substr($0, RSTART + 2, RLENGTH - 2)
				$0 = substr($0, RSTART + RLENGTH)
			}
		}' "$page"
	done
}

# A page's headings as the names that links give them.
anchors() { # PAGE
	awk '/^ *```/ { code = !code } !code && sub(/^#+ +/, "")' "$1" |
	    tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}

# "file path" for each `folder/file` of a page and each docs/PAGE.md of a source.
paths() {
	pages | while read -r page; do
		grep -oE '`(\.ci|agent|base|bench|chaos|cltext|docs|examples|gateway|kernels|lab|ops|scenarios|tests)/[a-zA-Z0-9_./-]*`' "$page" |
		    sed "s|^\`|$page |; s|\`\$||"
	done
	grep -roE --include='*.[ch]' --include='*.sh' --include='*.mk' 'docs/[a-z-]+\.md' \
	    agent base bench chaos cltext gateway lab ops tests | tr : ' '
}

links >"$tmp/links"
paths >"$tmp/paths"
check "pages have links" test "$(wc -l <"$tmp/links")" -gt 20
check "pages name files" test "$(wc -l <"$tmp/paths")" -gt 20

bad=0
while read -r page line target; do
	case $target in
	http://* | https://*) continue ;;
	\#*) file=$page ;;
	*) file=$(dirname "$page")/${target%%#*} ;;
	esac
	[ -e "$file" ] || { echo "$page:$line: no file $target" >&2; bad=1; continue; }
	case $target in
	*\#*) anchors "$file" | grep -qx -- "${target#*#}" ||
	    { echo "$page:$line: no heading $target" >&2; bad=1; } ;;
	esac
done <"$tmp/links"
while read -r from path; do
	case $path in
	*[A-Z]*) continue ;; # a placeholder, as cmd_NAME.c
	ops/softplus.c) continue ;; # the one that docs/adding-an-operator.md adds
	esac
	[ -e "$path" ] || [ -e "$path.h" ] || { echo "$from: no file $path" >&2; bad=1; }
done <"$tmp/paths"
check "all of them exist" [ $bad = 0 ]
