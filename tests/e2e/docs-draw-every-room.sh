# Each top folder has a README that names its rooms, and a stranger finds
# CONTRIBUTING, SECURITY and a changelog.
. tests/lib.sh
for f in CONTRIBUTING.md SECURITY.md CHANGELOG.md LICENSE; do
	check "$f" test -s "$f"
done
for folder in base gateway chaos cltext ops lab kernels agent demo tests bench scenarios packaging examples; do
	check "$folder/README.md" test -s "$folder/README.md"
	for room in "$folder"/*/; do
		room=$(basename "$room")
		case $room in '*' | node_modules) continue ;; esac
		[ "$folder" = scenarios ] || check "$folder/README.md names $room" grep -qw "$room" "$folder/README.md"
	done
done
