# A pipe in a file's place into which nobody writes is refused in one line by
# every program, and waited for by none; one with a writer is read as a file is.
. tests/lib.sh
mkfifo "$tmp/pipe"
ln -s "$tmp/pipe" "$tmp/link"
refused() { # PROGRAM ARGS...
	exits 2 timeout 20 "$BIN/$@"
	check "$*: it says why" grep -q 'a pipe from which nothing came' "$tmp/err"
}
for path in "$tmp/pipe" "$tmp/link"; do
	refused kernelforge verify relu "$path"
	refused kernelforge bench relu "$path"
	refused kernelforge mutants "$path"
	refused kernelforge run --scenario "$path" --out "$tmp/run" --gateway http://127.0.0.1:1
	refused kernelforge run --op relu --env-file "$path" --out "$tmp/run" --gateway http://127.0.0.1:1
	refused kernelforge reliability --scenario "$path" --gateway-config scenarios/gateway.yaml --out "$tmp/study"
	refused kf-chaos check "$path"
	refused kf-chaos --scenario "$path" --admin 127.0.0.1:0
	refused kf-gateway check "$path"
	refused kf-gateway --config "$path" --listen 127.0.0.1:0 --admin 127.0.0.1:0
done
good=tests/corpus/good/relu_plain.cl
[ -e $good ] || good=$(find tests/corpus/good -name 'relu*.cl' | head -n 1)
exits 0 sh -c "cat '$good' | '$BIN/kernelforge' verify relu /dev/stdin"
# A writer that takes its time.
cat "$good" >"$tmp/pipe" &
exits 0 timeout 60 sh -c "{ sleep 1; cat '$tmp/pipe'; } | '$BIN/kernelforge' verify relu /dev/stdin"
wait
