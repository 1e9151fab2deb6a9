#!/bin/sh
# Writes the pages as plain HTML into FOLDER, with a navigation, without a
# script and without an outside request; a link that leads nowhere is an error.
#	site.sh FOLDER
# cmark-gfm (Debian's package) reads Markdown as GitHub does; what is left for
# us is a frame around it, names for the headings, and links that end in .html.
set -eu
command -v cmark-gfm >/dev/null 2>&1 || { echo "site.sh: no cmark-gfm here (Debian: cmark-gfm)" >&2; exit 3; }
to=$1
rm -rf "$to"
mkdir -p "$to"

# The order in which a newcomer reads; whatever is not named comes last.
nav='Start: README docs/what-it-is docs/demo docs/verify-by-hand docs/test-your-agent docs/gateway-in-five-minutes docs/test-your-gateway docs/limits docs/comparison
Programs: docs/gateway docs/chaos docs/audit docs/mcp-faults docs/control-room docs/toxiproxy docs/live-run docs/resume scenarios/README demo/README
Kernels: docs/kernel-contract docs/operators docs/verification docs/mutation docs/performance
Files: docs/run-directory docs/ledger docs/journal docs/decisions docs/wire
Change it: CONTRIBUTING docs/adding-a-scenario docs/adding-an-operator docs/adding-a-fault docs/adding-a-dialect docs/adding-a-command packaging/README'
pages=$(ls ./*.md docs/*.md ./*/README.md | sed 's|^\./||; s|\.md$||' | sort)
rest=
for page in $pages; do
	case " $(echo $nav) " in *" $page "*) ;; *) rest="$rest $page" ;; esac
done
nav="$nav
More:$rest"

title_of() { sed -n 's/^# *//p' "$1.md" | head -n 1 | sed 's/`//g; s/&/\&amp;/g; s/</\&lt;/g'; }

# A heading's name is what links on GitHub call it.
name_headings() {
	awk '/^<h[1-6]>/ {
		name = tolower($0)
		gsub(/<[^>]*>|&[a-z]*;/, "", name)
		gsub(/[^a-z0-9_ -]/, "", name)
		gsub(/ /, "-", name)
		sub(/^<h[1-6]/, "& id=\"" name "\"")
	} { print }'
}

# Once for all pages: UP/ is the way to the top.
echo "$nav" | while IFS=: read -r heading list; do
	echo "<h2>$heading</h2><ul>"
	for page in $list; do
		echo "<li><a href=\"UP/$page.html\">$(title_of "$page")</a></li>"
	done
	echo '</ul>'
done >"$to/nav"

for page in $pages; do
	case $page in */*) up=../ ;; *) up= ;; esac
	mkdir -p "$to/$(dirname "$page")"
	{
		cat <<END
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$(title_of "$page") - KernelForge</title>
<link rel="stylesheet" href="${up}site.css">
</head>
<body>
<nav id="pages" aria-label="Pages">
$(sed "s|href=\"UP/$page.html\"|& aria-current=\"page\"|; s|\"UP/|\"$up|" "$to/nav")
</nav>
<main>
<a class="pages" href="#pages">All pages</a>
END
		cmark-gfm -e table "$page.md" | name_headings |
		    sed -E 's/(href="[^":]*)\.md(["#])/\1.html\2/g'
		echo '</main></body></html>'
	} >"$to/$page.html"
done
cp packaging/site.css "$to"
cp "$to/README.html" "$to/index.html"

# Every href and src: pages are there, files of the tree are brought, and a
# name behind # is the name of something.
bad=0
for page in $pages; do
	folder=$(dirname "$page")
	grep -oE '(href|src)="[^"]*"' "$to/$page.html" | sed 's/^[a-z]*="//; s/"$//' | sort -u >"$to/links"
	while read -r link; do
		case $link in
		http://* | https://* | mailto:*) continue ;;
		\#*) file=$page.html ;;
		*) file=$folder/${link%%#*} ;;
		esac
		file=${file#./}
		if [ ! -e "$to/$file" ] && [ -f "$file" ]; then
			mkdir -p "$to/$(dirname "$file")"
			cp "$file" "$to/$file"
		fi
		[ -e "$to/$file" ] || { echo "$page.md: $link leads nowhere" >&2; bad=1; continue; }
		case $link in
		*\#*) grep -q "id=\"${link#*#}\"" "$to/$file" || { echo "$page.md: $link: no such heading" >&2; bad=1; } ;;
		esac
	done <"$to/links"
done
rm -f "$to/links" "$to/nav"
! grep -lE '(src|<link[^>]*href)="(https?:)?//' "$to"/*.html "$to"/*/*.html >&2 || { echo "site.sh: an outside request" >&2; bad=1; }
[ $bad = 0 ]
echo "$to/index.html: $(echo "$pages" | wc -l) pages"
