# A key of the environment that is given as a word, an option or an option's
# value, to any command of any program, is shown by none of them; nor is one of
# an env file, wherever on the line the file is named.
. tests/lib.sh
key=Kq7Zx9Lm2Pw4Rt6Yv8Bn1Cd3
case $BIN in /*) ;; *) BIN=$PWD/$BIN ;; esac
mkdir "$tmp/here"
# Paths of the key's name are made where nobody minds, and what would serve
# listens where nobody is and is stopped.
tell() { # PROGRAM ARGS...
	program=$1
	shift
	(cd "$tmp/here" && env KF_TEST_API_KEY=$key timeout -k 1 1 "$BIN/$program" "$@" </dev/null) >"$tmp/said" 2>&1 || true
	lacks "$program $*: the key is shown" -qi $key "$tmp/said"
}
tried=0
ask() { # PROGRAM [COMMAND]
	where=
	case $* in
	kf-chaos) where="--admin 127.0.0.1:0" ;;
	kf-gateway) where="--listen 127.0.0.1:0 --admin 127.0.0.1:0" ;;
	"kf-chaos toxiproxy-server") where="--port 0" ;;
	"kernelforge mcp") where="--http 127.0.0.1:0" ;;
	# It prints the folder that it makes, for people to paste.
	"kf-chaos ca") return ;;
	esac
	for option in $("$BIN/$1" ${2:+"$2"} --help | grep -o '^  --[a-z-]* [^ ]' | awk '{ print $1 }') --nonsense; do
		# shellcheck disable=SC2086 # words
		tell "$@" $where "$option" $key
		tell "$@" $where "$option=$key" $key
		tried=$((tried + 1))
	done
	for word in $key -$key --$key --$key=x; do
		tell "$@" "$word"
		tell "$@" $key "$word"
	done
}
for program in kernelforge kf-gateway kf-chaos; do
	ask $program
	for command in $("$BIN/$program" --commands); do
		ask $program "$command"
	done
done
ask kf-view
check "options were tried" test $tried -gt 100

printf 'OPENAI_API_KEY=%s\n' $key >"$tmp/env"
for given in --jobs --shard --without --max-usd --price --idle-s --op --nonsense; do
	for line in "$given $key --env-file=$tmp/env" "--env-file $tmp/env $given=$key"; do
		# shellcheck disable=SC2086 # words
		exits 2 "$BIN/kernelforge" run --out "$tmp/run" --gateway http://127.0.0.1:1 --ops relu $line
		lacks "$line" -qi $key "$tmp/out" "$tmp/err"
	done
done
