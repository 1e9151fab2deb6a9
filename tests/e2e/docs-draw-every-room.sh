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

# What a README of a room calls a file, or a name of the code, is one.
for folder in base cltext ops lab gateway chaos agent; do
	for name in $(grep -oE '`[a-z_0-9/*]+(\.c|\.h|\.\[ch\])?`' "$folder/README.md" | tr -d '`' | sort -u); do
		stem=${name%.[ch]} stem=${stem%.\[ch\]}
		! ls -d "$folder"/$stem "$folder"/$stem.[ch] "$folder"/*/$stem.[ch] $stem 2>/dev/null | grep -q . || continue
		case $name in *.* | */*) fail "$folder/README.md: there is no $name" ;; esac
		check "$folder/README.md: nothing is called $name" grep -rqw --include='*.[ch]' "$name" "$folder"
	done
done
# Of base, which has no rooms, the drawing names every file.
for file in base/*.h; do
	name=$(basename "$file" .h)
	case $name in *_priv) continue ;; esac
	check "base/README.md draws $name" grep -qE "(^|[ ,])($name|${name%%_*}\*)([ ,]|\$)" base/README.md
done
