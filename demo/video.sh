#!/bin/sh
# Renders the storyboard to a video with voice and captions: 1080p, H.264 and
# AAC.  Pictures are kf-view's, drawn by Chromium; the voice is espeak-ng's;
# every figure comes out of a run directory.  The same runs give the same
# frames, and frames.sha256 says which.
set -eu

. "$(dirname "$0")/fit.sh"
usage() {
	fit <<'END'
usage: sh demo/video.sh [options]

  --run DIR         a run of rope_demo (default: a fresh one)
  --suite DIR       a run of full_suite (default: a fresh one)
  --no-suite        leaves out the beats that tell of it
  --out DIR         where the video goes (default build/video)
  --storyboard FILE what is shown and said (default demo/storyboard.txt)

makes: kernelforge.mp4, kernelforge.srt, kernelforge.vtt, a picture of each
beat (beat-N.png), frames.sha256

./setup.sh video installs what it wants: ffmpeg, espeak-ng, chromium, jq

exit: 0 done, 2 usage or no run there, 3 the machine lacks something
END
}

fail() { # CODE TEXT
	echo "video.sh: $2" >&2
	exit "$1"
}

here=$(dirname "$0")
demo= suite= no_suite= out=build/video storyboard=$here/storyboard.txt
while [ $# -gt 0 ]; do
	case $1 in
	--help | -h) usage; exit 0 ;;
	--no-suite) no_suite=yes; shift ;;
	--run | --suite | --out | --storyboard)
		[ $# -ge 2 ] || fail 2 "$1 needs a value"
		case $1 in --run) demo=$2 ;; *) eval "${1#--}=\$2" ;; esac
		shift 2 ;;
	*) fail 2 "found \"$1\", expected an option (see --help)" ;;
	esac
done
[ -r "$storyboard" ] || fail 2 "$storyboard: cannot be read"
for tool in ffmpeg ffprobe espeak-ng chromium jq; do
	command -v $tool >/dev/null || fail 3 "$tool is not there; ./setup.sh video installs it"
done
BIN=${BIN:-$here/../build}
view=$BIN/kf-view
[ -x "$view" ] || fail 3 "$view is not there; run make first"

# STEP: milliseconds, a frame of the film; READ: what a picture stands at least
STEP=100 PAUSE=600 READ=1500 SHEET=8
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir -p "$out" "$tmp/still" "$tmp/frame" || fail 3 "$out: cannot be made"

fresh() { # NAME SCENARIO
	echo "video: a fresh run of $2" >&2
	sh "$here/demo.sh" --scenario "$2" --out "$tmp/run-$1" --pace off >"$tmp/log" 2>&1 ||
	    { tail -n 5 "$tmp/log" >&2; fail 3 "$2 did not run as it should"; }
}
[ -n "$demo" ] || { fresh demo rope_demo; demo=$tmp/run-demo; }
[ -n "$suite$no_suite" ] || { fresh suite full_suite; suite=$tmp/run-suite; }
[ -z "$no_suite" ] || suite=

# What the storyboard may ask of a run.
gather() { # NAME DIR
	"$view" "$2" --beats "$tmp/$1.beats" || exit
	for f in naive chaos; do
		cat "$2/$f.jsonl" >"$tmp/$f" 2>/dev/null || : >"$tmp/$f"
	done
	(cd "$2/kernels" && find . -name '*.json' | sort | while read -r f; do
		f=${f#./}
		jq --arg name "${f%.json}" '{($name): .}' "$f"
	done) | jq -s add >"$tmp/kernels"
	jq -n --slurpfile run "$2/run.json" --slurpfile score "$2/scorecard.json" \
	    --slurpfile naive "$tmp/naive" --slurpfile chaos "$tmp/chaos" \
	    --slurpfile beats "$tmp/$1.beats" --slurpfile kernels "$tmp/kernels" \
	    '{run: $run[0], score: $score[0], naive: $naive, chaos: $chaos, beats: $beats, kernels: $kernels[0]}' \
	    >"$tmp/$1.facts" || fail 2 "$2: is not a run that has ended"
}
gather demo "$demo"
[ -z "$suite" ] || gather suite "$suite"

# A text with its {...} filled; a figure that the run does not hold ends it.
fill() { # RUN TEXT
	text=$2
	while case $text in *{*}*) true ;; *) false ;; esac; do
		rest=${text#*\{}
		value=$(jq -r "${rest%%\}*}" "$tmp/$1.facts") && [ -n "$value" ] && [ "$value" != null ] ||
		    fail 2 "storyboard: the run has no {${rest%%\}*}}"
		text=${text%%\{*}$value${rest#*\}}
	done
	printf '%s\n' "$text"
}

clock() { # MILLISECONDS SEPARATOR
	printf '%02d:%02d:%02d%s%03d' $(($1 / 3600000)) $(($1 / 60000 % 60)) \
	    $(($1 / 1000 % 60)) "$2" $(($1 % 1000))
}

# So many of some pictures as a sentence has time for, spread over all of them,
# the last among them: what flashes by is not read.
thin() { # N PICTURE...
	n=$1
	shift
	[ "$n" -gt 0 ] || n=1
	printf '%s\n' "$@" | awk -v n="$n" '
	    { all[NR] = $0 }
	    END { if (n > NR) n = NR; for (i = 1; i <= n; i++) print all[int(NR * i / n)] }'
}

# One sentence: its voice, its caption, its pictures and how long each stands.
now=0 caption=0 frames=0
say() { # RUN BEAT-NUMBER TITLE BEATS TEXT
	caption=$((caption + 1))
	wav=$tmp/$(printf %03d $caption).wav
	espeak-ng -v en-us -s 172 -w "$tmp/voice.wav" "$5"
	ms=$(ffprobe -v error -show_entries format=duration -of csv=p=0 "$tmp/voice.wav" |
	    awk -v step=$STEP -v pause=$PAUSE '{ n = int(($1 * 1000 + pause) / step) + 1; print n * step }')
	ffmpeg -y -loglevel error -i "$tmp/voice.wav" -af "apad=whole_dur=${ms}ms" -ar 44100 "$wav"
	printf "file '%s'\n" "$wav" >>"$tmp/voices"
	printf '%d\n%s --> %s\n%s\n\n' $caption "$(clock $now ,)" "$(clock $((now + ms)) ,)" "$5" >>"$out/kernelforge.srt"
	printf '%s --> %s\n%s\n\n' "$(clock $now .)" "$(clock $((now + ms)) .)" "$5" >>"$out/kernelforge.vtt"
	set -- "$1" "$2" "$3" "$5" $4
	run=$1 number=$2 title=$3 text=$4
	shift 4
	[ -n "$ticks" ] || set -- $(thin $((ms / READ)) "$@")
	each=$((ms / $# / STEP * STEP)) left=$ms
	[ $each -gt 0 ] || each=$STEP
	while [ $# -gt 0 ] && [ $left -gt 0 ]; do
		[ $# -gt 1 ] && [ $left -gt $each ] && hold=$each || hold=$left
		frame "$run" "$number" "$title" "$1" "$text" $hold
		left=$((left - hold))
		shift
	done
	now=$((now + ms))
}

frame() { # RUN BEAT-NUMBER TITLE BEAT TEXT MILLISECONDS
	frames=$((frames + 1))
	still=still/$1-$4.svg
	case $1 in demo) dir=$demo ;; *) dir=$suite ;; esac
	[ -e "$tmp/$still" ] || "$view" "$dir" --beat "$4" --width 116 --height 24 --svg "$tmp/$still"
	jq -nr --arg n "$2 of $beats" --arg title "$3" --arg src "$still" --arg text "$5" --arg upto $((now + ms - left + $6)) \
	    '@html "<section style=\"--upto:\($upto)\"><h1><i>\($n)</i> \($title)</h1><b></b><img src=\"\($src)\"><p>\($text)</p></section>"' >>"$tmp/sections"
	printf "file 'frame/%05d.png'\nduration %d.%03d\n" $frames $(($6 / 1000)) $(($6 % 1000)) >>"$tmp/timing"
	echo "$2 $frames" >>"$tmp/numbers"
}

# The beats that are there are counted first: each says its place.
is_told() { # RUN
	[ "$1" = demo ] || [ -n "$suite" ]
}
beats=0
while read -r word run title; do
	[ "$word" = beat ] || continue
	case $run in demo | suite) ;; *) fail 2 "storyboard: found run \"$run\", expected demo or suite" ;; esac
	if is_told "$run"; then
		beats=$((beats + 1))
	else
		echo "video: left out \"$title\": no run of full_suite (--suite DIR)" >&2
	fi
done <"$storyboard"

: >"$out/kernelforge.srt"
printf 'WEBVTT\n\n' >"$out/kernelforge.vtt"
number=0 shown= ticks= run= title=
while read -r word rest <&3; do
	case $word in
	'' | \#*) continue ;;
	beat)
		run=${rest%% *} title=${rest#* } shown=
		is_told "$run" && number=$((number + 1))
		continue ;;
	esac
	is_told "$run" || continue
	case $word in
	show)
		set -f
		set -- $rest
		set +f
		shown=$(jq -r --arg pane "${1-}" --arg kind "${2-}" --arg op "${3-*}" --arg nth "${4-*}" \
		    '.beats[] | select(.pane == $pane and .kind == $kind and ($op == "*" or .op == $op)
		    and ($nth == "*" or (.["try"] | tostring) == $nth)) | .beat, (select(.update) | "ticks")' "$tmp/$run.facts")
		case $shown in *ticks*) ticks=yes ;; *) ticks= ;; esac
		shown=$(printf '%s\n' "$shown" | grep -v ticks || true)
		[ -n "$shown" ] || fail 2 "storyboard: the run has no beat \"$rest\"" ;;
	say)
		[ -n "$shown" ] || fail 2 "storyboard: \"say\" before any \"show\" in \"$title\""
		words=$(fill "$run" "$rest") || exit
		say "$run" $number "$title" "$shown" "$words" ;;
	*) fail 2 "storyboard: found \"$word\", expected beat, show or say" ;;
	esac
done 3<"$storyboard"
[ $frames -gt 0 ] || fail 2 "$storyboard: tells nothing"

# Chromium draws sheets of several frames, which costs one start a sheet.
echo "video: drawing $frames frames" >&2
cat >"$tmp/head" <<END
<!doctype html><meta charset="utf-8"><style>
* { box-sizing: border-box; margin: 0 }
body { width: 1920px; background: #0c0e13 }
section { width: 1920px; height: 1080px; overflow: hidden; position: relative; color: #e6e8eb; font-family: 'DejaVu Sans', sans-serif }
h1 { position: absolute; left: 60px; top: 26px; font-size: 42px; color: #fff }
h1 i { font-style: normal; font-weight: 400; color: #8fa0b8; margin-right: 18px }
b { position: absolute; left: 60px; top: 90px; height: 4px; width: calc(1800px * var(--upto) / $now); background: #7fa7ff }
img { position: absolute; left: 60px; top: 104px; width: 1800px }
p { position: absolute; left: 60px; right: 60px; bottom: 18px; height: 108px; display: flex; align-items: center; justify-content: center; text-align: center; font-size: 38px; line-height: 1.3 }
</style>
END
first=1
while [ $first -le $frames ]; do
	{ cat "$tmp/head"; sed -n "$first,$((first + SHEET - 1))p" "$tmp/sections"; } >"$tmp/sheet.html"
	chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars \
	    --user-data-dir="$tmp/chromium" --force-device-scale-factor=1 --window-size=1920,$((1080 * SHEET)) \
	    --screenshot="$tmp/sheet.png" "file://$tmp/sheet.html" >"$tmp/log" 2>&1 && [ -s "$tmp/sheet.png" ] ||
	    { tail -n 3 "$tmp/log" >&2; fail 3 "chromium drew nothing"; }
	ffmpeg -y -loglevel error -i "$tmp/sheet.png" -vf untile=1x$SHEET -start_number $first "$tmp/frame/%05d.png"
	rm "$tmp/sheet.png"
	first=$((first + SHEET))
done

# What stands last in a beat is its picture.
while read -r n f; do
	cp "$tmp/frame/$(printf %05d "$f").png" "$out/beat-$n.png"
done <"$tmp/numbers"
(cd "$tmp/frame" && i=1 && while [ $i -le $frames ]; do
	sha256sum "$(printf %05d $i).png"
	i=$((i + 1))
done) >"$out/frames.sha256"

# The concat reader wants the last picture twice.  Pictures change on whole
# steps, so more frames a second would show nothing more and cost an encoding
# each; they are made yuv420p before they are repeated, for the same reason.
printf "file 'frame/%05d.png'\n" $frames >>"$tmp/timing"
echo "video: encoding $((now / 1000)) seconds" >&2
ffmpeg -y -loglevel error -f concat -safe 0 -i "$tmp/timing" -f concat -safe 0 -i "$tmp/voices" \
    -i "$out/kernelforge.srt" -map 0:v -map 1:a -map 2:s -vf "format=yuv420p,fps=$((1000 / STEP))" \
    -c:v libx264 -preset veryfast -tune stillimage -crf 20 -g $((5000 / STEP)) -c:a aac -b:a 128k -ac 1 \
    -c:s mov_text -metadata:s:s:0 language=eng -movflags +faststart -fflags +bitexact -flags +bitexact \
    -t "$((now / 1000)).$(printf %03d $((now % 1000)))" "$out/kernelforge.mp4"
echo "$out/kernelforge.mp4: $((now / 1000)) seconds, $beats beats, $frames frames; captions beside it"
