#!/bin/sh
# Puts the pages into FOLDER, and beside them every file of the tree that they
# link to, so that links and pictures lead where they lead in the tree; what
# they tell to type is for who has the programs installed with PREFIX.
#	docs.sh FOLDER PREFIX
set -eu
to=$1
prefix=$2
docs=$prefix/share/doc/kernelforge
data=$prefix/share/kernelforge

# Programs are found by name, presets and examples where they were installed.
# A link is no command: what stands behind "](" stays.
installed_words() {
	sed -E "s#(^|[^A-Za-z0-9_./])build/(kernelforge|kf-[a-z]+)#\1\2#g
	    s#(^|[ \`\"=])scenarios/#\1$data/scenarios/#g
	    s#(^|[ \`\"=])examples/#\1$docs/examples/#g"
}

# Links of a page, outside of code, without what is elsewhere or here.
links_of() {
	awk '/^ *```/ { code = !code; next } !code' "$1" | grep -oE '\]\([^) ]+' |
	    sed 's/^](//; s/#.*//' | grep -vE '^$|^[a-z]+:' || :
}

note='> This is the installed copy. What begins with `./run_demo.sh`, `./setup.sh`, `make`, `demo/`, `tests/` or `bench/` wants the source tree.
'

take() { # FILE, as the tree calls it
	! grep -qxF -- "$1" "$list.seen" || return 0
	echo "$1" >>"$list.seen"
	if [ -d "$1" ]; then
		find "$1" -type f ! -path '*/node_modules/*' ! -path '*/.*' >"$list.$$" || return
		while read -r inside; do take "$inside"; done <"$list.$$"
		return 0
	fi
	mkdir -p "$to/$(dirname "$1")"
	case $1 in
	*.md)
		{
			sed -n 1p "$1"
			printf '\n%s' "$note"
			sed 1d "$1"
		} | installed_words >"$to/$1"
		links_of "$1" | while read -r link; do
			echo "$(dirname "$1")/$link"
		done >>"$list"
		;;
	examples/*.sh | examples/*.py | examples/*.mjs) installed_words <"$1" >"$to/$1" ;;
	*) cp "$1" "$to/$1" ;;
	esac
	chmod 644 "$to/$1"
}

mkdir -p "$to"
list=$(mktemp)
trap 'rm -f "$list" "$list".*' EXIT
: >"$list.seen"
for page in README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md docs/*.md; do
	take "$page"
done
find examples -type f ! -path '*/.*' ! -path '*/__pycache__/*' >"$list.examples"
while read -r file; do take "$file"; done <"$list.examples"

# What is linked may be a page, which links to more.
while [ -s "$list" ]; do
	sort -u "$list" >"$list.now"
	: >"$list"
	while read -r file; do
		# "docs/../scenarios/README.md"
		file=$(realpath -m --relative-to=. "$file")
		[ ! -e "$file" ] || take "$file"
	done <"$list.now"
done
