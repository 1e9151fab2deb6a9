# What a verdict's drawn cases are paired from is public: `ops OP` lists each
# factor of an operator with its classes, for people and for programs.
. tests/lib.sh
need jq
kf=$BIN/kernelforge

for op in $("$kf" ops --json | jq -r '.[].name'); do
	exits 0 "$kf" ops "$op" --json
	cp "$tmp/out" "$tmp/$op.json"
	check "$op: storage, sizes, places and values, with two classes or more each" jq -e '
	    (.factors | length >= 5) and .factors[0].name == "storage" and
	    all(.factors[]; (.name | length > 0) and (.classes | length >= 2))' "$tmp/$op.json"
	exits 0 "$kf" ops "$op"
	jq -r '.factors[].name' "$tmp/$op.json" >"$tmp/names"
	while read -r name; do
		check "$op: a person reads of the factor $name" grep -q "^│ $name " "$tmp/out"
	done <"$tmp/names"
done
has() { jq -e --arg f "$2" --arg c "$3" 'any(.factors[]; .name == $f and any(.classes[]; . == $c))' "$tmp/$1.json"; }
check "a norm has a pitch a tensor and values of its weight" has rmsnorm "values of weight" "one NaN"
check "rope has positions" has rope positions "beyond 65,535"
check "matmul has values of b" has matmul "values of b" "+inf"
check "softmax has rows of nothing but -inf" has softmax "values of x" "nothing but -inf"
check "a wide row is a class" has layernorm cols "over 65,536"
