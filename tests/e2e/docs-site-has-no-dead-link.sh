# make site writes every page with every other in its navigation, asks nobody
# outside for anything, and fails on a link that leads nowhere.
. tests/lib.sh
need cmark-gfm
exits 0 sh packaging/site.sh "$tmp/site"
for page in README.md docs/*.md; do
	html=$tmp/site/${page%.md}.html
	check "$page is there" grep -q '</main></body></html>' "$html"
	check "$page is one of all" grep -q "/${page##*/docs/}\|\"${page%.md}.html\"" "$tmp/site/index.html"
	check "$page knows where it is" [ "$(grep -c 'aria-current="page"' "$html")" = 1 ]
done
lacks "no script" -rqi "<script" "$tmp/site" --include="*.html"
mkdir "$tmp/copy"
git ls-files -z --cached --others --exclude-standard | tar -c --null -T - --ignore-failed-read 2>/dev/null | tar -x -C "$tmp/copy"
cd "$tmp/copy"
new=zzz
for link in nowhere.md 'demo.md#no-such-heading'; do
	printf '# New\n\n[a](%s)\n' "$link" >"docs/$new.md"
	exits 1 sh packaging/site.sh "$tmp/other"
	check "$link is named" grep -q "^docs/$new\." "$tmp/err"
done
