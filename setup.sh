#!/bin/sh
# Installs the Debian packages that a task needs and that are missing.
#
#	setup.sh run      build the programs and run them
#	setup.sh test     and run the tests, with their npm clients
#	setup.sh check    and the static checks and fuzzers
#
# As root, or with sudo that asks nothing, it installs; otherwise it prints
# the one command that does, and exits 3.  Says nothing when all is there.
set -eu
cd "$(dirname "$0")"

run='gcc make pkg-config libc6-dev libevent-dev libcurl4-openssl-dev
    libjansson-dev libssl-dev libyaml-dev libseccomp-dev ocl-icd-opencl-dev
    opencl-headers pocl-opencl-icd clang oclgrind'
test='curl jq openssl procps tmux python3 nodejs npm chromium prometheus'
check='clang-format clang-tidy clang-tools cppcheck bear libclang-rt-dev'

case ${1:-run} in
run) want=$run ;;
test) want="$run $test" ;;
check) want="$run $test $check" ;;
*) echo "setup.sh: found \"$1\", expected run, test or check" >&2; exit 2 ;;
esac

is_there() {
	case $1 in
	# A machine may have Node.js by other ways than its packages.
	nodejs) command -v node ;;
	npm) command -v npm ;;
	python3) command -v python3 ;;
	# Ubuntu has it as a snap only, which a container cannot run.
	chromium) command -v chromium || grep -qx ID=ubuntu /etc/os-release ;;
	# The sanitizer runtimes come with the clang that is there.
	libclang-rt-dev) ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-x86_64.a ;;
	*) dpkg-query -W -f '${Status}' "$1" | grep -q 'ok installed' ;;
	esac >/dev/null 2>&1
}

# Debian 12 names the sanitizer runtimes by clang's version.
name_of() {
	case $1 in
	libclang-rt-dev)
		v=$(clang --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p' | head -n 1)
		echo "libclang-rt-${v:-14}-dev" ;;
	*) echo "$1" ;;
	esac
}

if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "setup.sh: no dpkg here; please install by hand:" $want >&2
	exit 3
fi
missing=
for p in $want; do
	is_there "$p" || missing="$missing $(name_of "$p")"
done
if [ -n "$missing" ]; then
	if [ "$(id -u)" = 0 ]; then
		sudo=
	elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
		sudo=sudo
	else
		echo "missing packages; please run:" >&2
		echo "  sudo apt-get install -y$missing" >&2
		exit 3
	fi
	echo "setup: installing$missing" >&2
	$sudo apt-get update -qq >&2
	DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq \
	    --no-install-recommends $missing >&2
fi

# The npm clients of the end-to-end tests; without them those tests skip.
if [ "${1:-run}" != run ] &&
    [ ! tests/clients/node_modules/.complete -nt tests/clients/package-lock.json ]; then
	if (cd tests/clients && npm ci --silent --no-audit --no-fund) >&2; then
		touch tests/clients/node_modules/.complete
	else
		echo "setup: npm could not install tests/clients; the tests" \
		    "with npm clients will skip" >&2
	fi
fi
