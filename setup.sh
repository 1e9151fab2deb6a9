#!/bin/sh
# Installs the Debian packages that a task needs and that are missing.
#
#	setup.sh run      build the programs and run them
#	setup.sh test     and run the tests, with their npm clients
#	setup.sh check    and the static checks and fuzzers
#	setup.sh video    what demo/video.sh renders with; nothing else wants it
#
# As root, or with sudo that asks nothing, it installs; otherwise, or when
# apt-get fails, it prints the one command that does, and exits 3.  Says
# nothing when all is there.
set -eu
cd "$(dirname "$0")"

run='gcc make pkg-config libc6-dev libevent-dev libc-ares-dev libcurl4-openssl-dev
    libjansson-dev libssl-dev libyaml-dev libpcre2-dev libseccomp-dev libsqlite3-dev zlib1g-dev ocl-icd-opencl-dev
    opencl-headers pocl-opencl-icd clang oclgrind'
test='curl ca-certificates git cmark-gfm jq openssl procps tmux valgrind python3 python3-yaml nodejs chromium prometheus
    munge slurmctld slurmd slurm-client'
video='chromium espeak-ng ffmpeg fonts-dejavu-core jq'
check='clang-format clang-tidy clang-tools cppcheck bear libclang-rt-dev universal-ctags gdb'

# Left out where the release has no such package, with what that costs:
# Debian 13 has no oclgrind, Ubuntu has chromium as a snap only.
optional='oclgrind chromium prometheus npm munge slurmctld slurmd slurm-client'
cost_of() {
	case $1 in
	oclgrind) echo "races and uninitialised reads are only found by their effects, which doctor and each verdict say" ;;
	*) echo "the tests that want it skip" ;;
	esac
}

case ${1:-run} in
run) want=$run ;;
test) want="$run $test" ;;
check) want="$run $test $check" ;;
video) want="$run $video" ;;
-h | --help) . demo/fit.sh; sed -n '2,/^set /{/^#/!d; s/^#[	 ]\{0,1\}//p}' setup.sh | fit 2>/dev/null || exit 3; exit 0 ;;
*) echo "setup.sh: found \"$1\", expected run, test, check or video" >&2; exit 2 ;;
esac
# Debian's npm brings some 380 packages with it; npm itself is one archive, for
# whoever names a registry as npm wants it named.
has_clients() { # TASK
	[ "$1" = test ] || [ "$1" = check ]
}
! has_clients "${1:-run}" || [ -n "${npm_config_registry-}" ] || want="$want npm"

is_there() {
	case $1 in
	# Of the clang that is there: another one's, of PoCL's, are no use to it.
	libclang-rt-dev) ls "$(clang -print-runtime-dir)"/libclang_rt.fuzzer*.a ;;
	*) is_installed "$1" ;;
	esac >/dev/null 2>&1
}

is_installed() {
	! dpkg-query -W -f '${Status}' "$1" | grep -q 'ok installed' || return 0
	# A machine may have these by other ways than the packages.
	case $1 in
	nodejs) command -v node ;;
	python3 | curl | oclgrind | chromium | prometheus | npm | ffmpeg | espeak-ng | jq) command -v "$1" ;;
	*) return 1 ;;
	esac
}

# Debian names the sanitizer runtimes by clang's version.
name_of() {
	case $1 in
	libclang-rt-dev)
		v=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n 1)
		echo "libclang-rt-${v:-14}-dev" ;;
	*) echo "$1" ;;
	esac
}

is_optional() {
	case " $optional " in *" $1 "*) return 0 ;; esac
	return 1
}

# Has the release such a package, and not only its name?
is_offered() {
	apt-cache policy "$1" 2>/dev/null | grep -q '^  Candidate: [^(]'
}

# Of what is missing: "names" can be had, "must" cannot be done without.
find_missing() {
	names= must=
	for p in $want; do
		is_there "$p" && continue
		if ! is_optional "$p"; then
			must=yes
		elif ! is_offered "$p"; then
			[ -z "${updated-}" ] ||
			    echo "setup: this release has no $p: $(cost_of "$p")" >&2
			continue
		fi
		names="$names $(name_of "$p")"
	done
}

# Says what would help; what is optional is no reason to end.
give_up() { # REASON
	echo "setup.sh: $1; please run:" >&2
	echo "  ${sudo:+sudo }apt-get update && ${sudo:+sudo }apt-get install -y --no-install-recommends$names" >&2
	[ -z "$must" ] || exit 3
}

# Another apt-get may hold a lock for a while: it is waited for.
apt() {
	tries=0
	until $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq \
	    -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" >"$log" 2>&1; do
		tries=$((tries + 1))
		if [ "$tries" -ge 60 ] || ! grep -q 'Could not get lock' "$log"; then
			tail -n 10 "$log" | sed 's/^/  /' >&2
			return 1
		fi
		[ "$tries" != 1 ] || echo "setup: another apt-get is at work; waiting" >&2
		sleep 5
	done
}

install_missing() {
	apt update || { give_up "apt-get update failed"; return; }
	updated=yes
	find_missing # the lists are new: now it is known what is offered
	echo "setup: installing$names" >&2
	apt install -y --no-install-recommends $names || give_up "apt-get install failed"
}

if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "setup.sh: no dpkg here; please install by hand:" $want >&2
	exit 3
fi
find_missing
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
if [ -n "$names" ] && [ -n "$sudo" ] && ! sudo -n true 2>/dev/null; then
	give_up "missing packages"
elif [ -n "$names" ]; then
	log=$(mktemp)
	trap 'rm -f "$log"' EXIT
	install_missing
fi

npm_version=10.9.4
npm_sha512=OnUG836FwboQIbqtefDNlyR0gTHzIfwRfE3DuiNewBvnMnWEpB0VEXwBlFVgqpNzIgYo/MHh3d2Hel/pszapAA==
fetch_npm() {
	[ -n "${npm_config_registry-}" ] || { echo "there is no npm"; return 1; }
	[ ! -f build/npm/package/bin/npm-cli.js ] || return 0
	mkdir -p build/npm &&
	    curl -sSfL -o build/npm/npm.tgz "${npm_config_registry%/}/npm/-/npm-$npm_version.tgz" || return 1
	if [ "$(openssl dgst -sha512 -binary build/npm/npm.tgz | openssl base64 -A)" != "$npm_sha512" ]; then
		echo "npm-$npm_version.tgz: not the archive that was expected"
		return 1
	fi
	tar -xzf build/npm/npm.tgz -C build/npm
}

run_npm() {
	if command -v npm >/dev/null 2>&1; then
		npm "$@"
	else
		fetch_npm && node "$root/build/npm/package/bin/npm-cli.js" "$@"
	fi
}

# The npm clients of the end-to-end tests; without them those tests skip.
if has_clients "${1:-run}" &&
    [ ! tests/clients/node_modules/.complete -nt tests/clients/package-lock.json ]; then
	root=$PWD
	if why=$(run_npm ci --prefix tests/clients --loglevel error --no-audit --no-fund 2>&1); then
		touch tests/clients/node_modules/.complete
	else
		# The reason stands first; what npm offers to read comes after it.
		printf '%s\n' "$why" | sed -e '/\(ERR!\|error\) *$/d' -e 's/^/  /' | sed 5q >&2
		echo "setup: npm could not install tests/clients (see above); the" \
		    "tests with npm clients will skip" >&2
	fi
fi
