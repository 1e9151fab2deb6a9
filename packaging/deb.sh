#!/bin/sh
# Builds the Debian packages from a copy of the tree, so that debian/rules
# leaves nothing in it: what git knows of, as it stands here.
#	deb.sh FOLDER		the packages are left in FOLDER
# DEB_BUILD_OPTIONS and lintian's profile are the caller's.
set -eu
to=$1
version=$(dpkg-parsechangelog -S Version)
missing=$(dpkg-checkbuilddeps 2>&1) || { echo "deb.sh: $missing" >&2; exit 3; }
mkdir -p "$to"
to=$(cd "$to" && pwd)
copy=$to/kernelforge-$version
rm -rf "$copy"
mkdir "$copy"
git ls-files -z | tar -c --null -T - | tar -x -C "$copy"
(cd "$copy" && dpkg-buildpackage -us -uc -b)
rm -rf "$copy"
if command -v lintian >/dev/null 2>&1; then
	lintian --fail-on error,warning "$to/kernelforge_${version}_"*.changes
else
	echo "deb.sh: no lintian here: the packages were not checked" >&2
fi
ls "$to"/*.deb
