# demo/video.sh makes a video of the storyboard with voice and captions, the
# same frames of the same run; what a run does not hold it does not say, and a
# beat without its run is left out with a word.
. tests/lib.sh
need jq
need ffmpeg
need ffprobe
need espeak-ng
need chromium
demo_run "$tmp/run"
(cd "$tmp/run" && find . -type f -exec sha256sum {} + | sort) >"$tmp/before"
cat >"$tmp/board" <<'END'
beat demo The lie
show naive changed rope
say Chaos changes the {[.beats[] | select(.kind == "changed")][0].op} kernel.
beat suite Many
show both end
say Of {.score.kernelforge.total}.
beat demo The end
show forge verified
say {.score.kernelforge.correct} <of> {.score.kernelforge.total} & right.
show forge verified
say Each of them is shown, one after the other, as there is time enough for somebody who sees them for the first time.
END
for i in 1 2; do
	sh demo/video.sh --run "$tmp/run" --no-suite --storyboard "$tmp/board" --out "$tmp/v$i" >"$tmp/out" 2>"$tmp/err" ||
	    fail "it is made: $(cat "$tmp/err")"
done
grep -q 'left out "Many"' "$tmp/err" || fail "a beat without its run is left out, with a word"
cmp -s "$tmp/v1/frames.sha256" "$tmp/v2/frames.sha256" || fail "the same frames"
# Three pictures fit into the long sentence, and would flash by in the short one.
[ "$(wc -l <"$tmp/v1/frames.sha256")" = 5 ] || fail "a frame that can be read: $(cat "$tmp/v1/frames.sha256")"
[ "$(sort -u -k1,1 "$tmp/v1/frames.sha256" | wc -l)" = 5 ] || fail "each its own picture"
ffprobe -v error -show_entries stream=codec_name,width,height -of csv=p=0 "$tmp/v1/kernelforge.mp4" >"$tmp/streams"
grep -qx 'h264,1920,1080' "$tmp/streams" && grep -qx aac "$tmp/streams" && grep -q '^mov_text' "$tmp/streams" ||
    fail "picture, voice and captions: $(cat "$tmp/streams")"
grep -qx 'Chaos changes the rope kernel.' "$tmp/v1/kernelforge.srt" || fail "a figure of the run is said"
grep -qx '3 <of> 3 & right.' "$tmp/v1/kernelforge.vtt" || fail "and text is text"
head -n 1 "$tmp/v1/kernelforge.vtt" | grep -qx WEBVTT || fail "captions for browsers"
refused() { # WHAT LINE
	{ printf 'beat demo X\nshow naive changed rope\n'; echo "$2"; } >"$tmp/bad"
	rc=0
	sh demo/video.sh --run "$tmp/run" --no-suite --storyboard "$tmp/bad" --out "$tmp/v3" >/dev/null 2>"$tmp/err" || rc=$?
	[ $rc = 2 ] && grep -q "$1" "$tmp/err" || fail "exit $rc, $(cat "$tmp/err")"
}
refused 'the run has no {.score.nothing}' 'say Of {.score.nothing}.'
refused 'the run has no beat "forge escaped"' 'show forge escaped'
refused 'found "tell"' 'tell a story'
(cd "$tmp/run" && find . -type f -exec sha256sum {} + | sort) | cmp -s - "$tmp/before" || fail "the run is left as it was"
