/*
 * Following a run is reading its directory again when it may have grown: the
 * files are small, and a story that is read whole cannot lose its place.
 *
 * The terminal is put back whatever ends the view or stops it; signals only
 * set a flag, and a resize redraws.
 */
#include "demo/play.h"

#include "base/clock.h"
#include "base/columns.h"
#include "base/files.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#define REREAD_MS       100
#define READ_SHARE      10 /* reading takes a tenth of the time at most */
#define PAINT_BYTES_MAX (4u << 20)
#define ENTER           "\033[?1049h\033[?25l" /* other screen, no cursor */
#define LEAVE           "\033[?25h\033[?1049l"

/* is_ended: the signal that ended the view; 0: none did. */
static volatile sig_atomic_t is_ended, is_resized, is_stopped, is_continued;

static void
on_end(int signal)
{
	is_ended = signal;
}

static void
on_resize(int signal)
{
	(void)signal;
	is_resized = 1;
}

static void
on_stop(int signal)
{
	(void)signal;
	is_stopped = 1;
}

static void
on_continue(int signal)
{
	(void)signal;
	is_continued = 1;
}

/* The view's state while it plays. */
struct player {
	const struct play *p;
	struct story story;
	size_t shown;
	bool is_complete; /* nothing more will come */
	struct screen was, now;
	struct termios saved;     /* as it was before us */
	bool has_keys, wants_end; /* wants_end: somebody pressed q */
};

static bool
is_running(int64_t pid)
{
	return pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
}

/* Reads the directory again; its beats so far are among the new ones.  The
 * next reading is not due before *ret_pause_ms. */
static enum err
read_story(const struct play *p, struct story *s, bool *ret_complete,
    unsigned *ret_pause_ms, struct why *why)
{
	uint64_t begun_ms = clock_mono_ms();
	/* Asked before reading: what was written last is then in the files. */
	bool goes_on =
	    is_running(p->pid) && !(p->until && files_exists(p->until));
	struct evidence ev;
	enum err e = evidence_load(p->dir, goes_on, &ev, why);

	if (e != ERR_OK)
		return e;
	story_done(s);
	story_read(&ev, goes_on, s);
	evidence_done(&ev);
	*ret_complete = !goes_on;
	*ret_pause_ms =
	    (unsigned)(clock_mono_ms() - begun_ms) * (READ_SHARE - 1);
	if (*ret_pause_ms < REREAD_MS)
		*ret_pause_ms = REREAD_MS;
	return ERR_OK;
}

static void
write_all(const struct buf *b)
{
	size_t at = 0;

	while (at < b->len) {
		ssize_t n = write(STDOUT_FILENO, b->data + at, b->len - at);

		if (n < 0 && errno != EINTR) {
			is_ended = SIGHUP; /* the terminal was closed */
			return;
		}
		at += n > 0 ? (size_t)n : 0;
	}
}

static void
paint(struct player *v)
{
	unsigned parts = (v->p->explains ? LAYOUT_EXPLAINED : 0u) |
	    (v->p->only == 0 ? LAYOUT_COUNTED : 0u);
	struct buf bytes;
	struct screen was;

	screen_init(&v->now, (unsigned)columns_given(stdout),
	    (unsigned)columns_rows(stdout));
	layout_draw(&v->story, v->shown, parts, &v->now);
	buf_init(&bytes, PAINT_BYTES_MAX);
	screen_paint(is_resized || !v->was.cells ? NULL : &v->was, &v->now,
	    v->p->is_coloured, &bytes);
	is_resized = 0;
	write_all(&bytes);
	buf_done(&bytes);
	was = v->was;
	v->was = v->now;
	screen_done(&was);
}

/* Waits, or until a key: '\0' when the time has passed. */
static char
await_key(const struct player *v, unsigned ms)
{
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	char key = '\0';

	if (poll(&p, v->has_keys ? 1 : 0, (int)ms) == 1 &&
	    read(STDIN_FILENO, &key, 1) == 1)
		return key;
	return '\0';
}

static void catch (int number, void (*handler)(int))
{
	struct sigaction a = { .sa_handler = handler };

	sigaction(number, &a, NULL);
}

static void
put_text(const char *text)
{
	struct buf b;

	buf_init(&b, strlen(text) + 1);
	buf_adds(&b, text);
	write_all(&b);
	buf_done(&b);
}

/* The terminal is ours: its other screen, and keys as they are pressed. */
static void
take_terminal(const struct player *v)
{
	struct termios raw = v->saved;

	catch (SIGTSTP, on_stop);
	raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
	if (v->has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &raw);
	put_text(ENTER);
}

static void
enter(struct player *v)
{
	catch (SIGINT, on_end);
	catch (SIGTERM, on_end);
	catch (SIGHUP, on_end);
	catch (SIGWINCH, on_resize);
	catch (SIGCONT, on_continue);
	v->has_keys =
	    isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &v->saved) == 0;
	take_terminal(v);
}

static void
leave(const struct player *v)
{
	put_text(LEAVE);
	if (v->has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &v->saved);
}

/* What signals asked for since the last look; true: the view was away. */
static bool
attend(struct player *v)
{
	bool was_away = false;

	if (is_stopped) {
		is_stopped = 0;
		leave(v);
		catch (SIGTSTP, SIG_DFL);
		(void)raise(SIGTSTP);
		/* Here it goes on, whenever that is. */
		is_continued = 1;
	}
	if (is_continued) {
		/* Who stopped us without asking may have used the terminal. */
		is_continued = 0;
		was_away = true;
		take_terminal(v);
		is_resized = 1;
	}
	if (is_resized)
		paint(v);
	return was_away;
}

/* Stands for a beat's time; a key cuts it short, a resize does not, and who
 * was away has the whole time again. */
static void
hold(struct player *v, unsigned ms)
{
	int64_t until_us = (int64_t)clock_mono_us() + (int64_t)ms * 1000;
	int64_t left_us;

	while (
	    !is_ended && (left_us = until_us - (int64_t)clock_mono_us()) > 0) {
		char key = await_key(v, (unsigned)(left_us / 1000) + 1);

		v->wants_end = key == 'q';
		if (key != '\0')
			return;
		if (attend(v))
			until_us =
			    (int64_t)clock_mono_us() + (int64_t)ms * 1000;
	}
}

/* Who is followed may have nothing to tell yet. */
static enum err
check_holds_run(const struct play *p, const struct story *s, struct why *why)
{
	return p->pid == 0 && s->nbeats == 0
	    ? why_set(why, ERR_NOTFOUND,
	          "%s: holds no run; expected trace.jsonl and kernels/", p->dir)
	    : ERR_OK;
}

struct printer {
	const struct play *p;
	const struct beat *beat;
};

static void
print_row(const char *row, void *arg)
{
	const struct printer *o = arg;
	static const char *const who[] = {
		[PANE_NAIVE] = "naive ",
		[PANE_FORGE] = "forge ",
		[PANE_BOTH] = "      ",
	};

	printf("%s%s\n", who[o->beat->pane], row);
}

static void
print_beat(const struct story *s, size_t i, const struct play *p,
    unsigned width)
{
	struct printer o = { .p = p, .beat = &s->beats[i] };

	/* Of a line that grows, a pipe gets its last form. */
	if (i + 1 < s->nbeats && s->beats[i + 1].is_update)
		return;
	if (p->explains)
		layout_wrap("»", s->beats[i].explain, width - 6, print_row, &o);
	for (size_t l = 0; l < s->beats[i].nlines; l++)
		layout_wrap(s->beats[i].lines[l].mark,
		    s->beats[i].lines[l].text, width - 6, print_row, &o);
	(void)fflush(stdout);
}

static void
print_score(const struct story *s, unsigned width)
{
	char row[SCREEN_WIDTH_MAX * 4 + 1];
	struct screen out;
	unsigned end;

	screen_init(&out, width, SCREEN_HEIGHT_MAX);
	end = layout_draw_score(s, 0, 0, out.width, &out);
	for (unsigned y = 0; y < end; y++) {
		screen_row(&out, y, row);
		printf("%s\n", row);
	}
	screen_done(&out);
}

static void
print_plain_row(const char *row, void *arg)
{
	(void)arg;
	printf("%s\n", row);
}

static void
print_alarm(const struct story *s, unsigned width)
{
	if (s->alarm[0])
		layout_wrap("", s->alarm, width, print_plain_row, NULL);
}

/* What stays on the terminal when the other screen is gone. */
static void
print_end(const struct story *s, const struct play *p)
{
	unsigned width = (unsigned)columns_given(stdout);

	print_alarm(s, width);
	for (size_t i = 0; i < s->nbeats; i++)
		if (s->beats[i].kind == BEAT_GAPS ||
		    s->beats[i].kind == BEAT_END)
			print_beat(s, i, &(struct play){ .dir = p->dir },
			    width);
	if (s->is_scored)
		print_score(s, width);
	(void)fflush(stdout);
}

/* Who waits for us sees what ended us, as of any program. */
static void
end_by_signal(void)
{
	int signal = is_ended;

	catch (signal, SIG_DFL);
	(void)raise(signal);
}

static enum err
check_is_sound(const struct story *s, struct why *why)
{
	return s->alarm[0] ? why_set(why, ERR_STATE, "%s", s->alarm) : ERR_OK;
}

/* One picture, until a key; a resize redraws it. */
static void
stand(struct player *v)
{
	v->shown = v->p->only < v->story.nbeats ? v->p->only : v->story.nbeats;
	paint(v);
	while (!is_ended && await_key(v, REREAD_MS) == '\0')
		(void)attend(v);
}

enum err
play_screen(const struct play *p, struct why *why)
{
	struct player v = { .p = p };
	struct cast pace = { .percent = p->percent };
	unsigned pause_ms;
	enum err e = read_story(p, &v.story, &v.is_complete, &pause_ms, why);

	if (e == ERR_OK)
		e = check_holds_run(p, &v.story, why);
	if (e != ERR_OK) {
		story_done(&v.story);
		return e;
	}
	enter(&v);
	if (p->only > 0)
		stand(&v);
	while (p->only == 0 && !is_ended && !v.wants_end && e == ERR_OK) {
		if (v.shown < v.story.nbeats) {
			v.shown++;
			paint(&v);
			hold(&v,
			    cast_hold_ms(&pace, &v.story.beats[v.shown - 1]));
		} else if (v.is_complete)
			break;
		else {
			hold(&v, pause_ms);
			e = read_story(p, &v.story, &v.is_complete, &pause_ms,
			    why);
		}
	}
	leave(&v);
	/* Who is followed prints a scorecard of its own. */
	if (e == ERR_OK && !is_ended && p->only == 0 && p->pid == 0)
		print_end(&v.story, p);
	if (e == ERR_OK)
		e = check_is_sound(&v.story, why);
	story_done(&v.story);
	screen_done(&v.was);
	if (is_ended)
		end_by_signal();
	return e;
}

enum err
play_lines(const struct play *p, unsigned width, struct why *why)
{
	struct story s = { .nbeats = 0 };
	bool is_complete = false, has_alarmed = false;
	enum err e = ERR_OK, sound;
	size_t shown = 0;
	unsigned pause_ms;

	for (;;) {
		e = read_story(p, &s, &is_complete, &pause_ms, why);
		if (e == ERR_OK)
			e = check_holds_run(p, &s, why);
		if (e != ERR_OK)
			break;
		if (!has_alarmed)
			print_alarm(&s, width);
		has_alarmed = s.alarm[0] != '\0';
		/* The last beat may still be replaced by one that comes. */
		while (shown + (is_complete ? 0 : 1) < s.nbeats)
			print_beat(&s, shown++, p, width);
		if (is_complete || ferror(stdout))
			break;
		(void)poll(NULL, 0, (int)pause_ms);
	}
	if (s.is_scored && p->pid == 0)
		print_score(&s, width);
	sound = e == ERR_OK ? check_is_sound(&s, why) : ERR_OK;
	story_done(&s);
	if (e == ERR_OK && (fflush(stdout) != 0 || ferror(stdout)))
		e = why_set(why, ERR_IO, "the lines could not be written");
	if (e == ERR_OK)
		e = sound;
	return e;
}
