/*
 * kf-view: a run directory as something to look at.  It reads; the run does
 * not know that it is watched.
 */
#include "base/columns.h"
#include "base/files.h"
#include "base/log.h"
#include "base/opts.h"
#include "base/terminal.h"
#include "demo/play.h"
#include <stddef.h>
#include <string.h>

#define LINES_WIDTH_MIN 20

struct view_options {
	const char *pace, *cast, *svg, *beats, *until;
	bool explain, plain;
	int64_t width, height, beat, pid;
};

/* clang-format off */
static const struct opt rows[] = {
	{ "pace", OPT_STRING, offsetof(struct view_options, pace), 0, 0, "PACE",
	  "slow, fast or off (default fast; off in a pipe)" },
	{ "explain", OPT_FLAG, offsetof(struct view_options, explain), 0, 0, NULL,
	  "a sentence a beat, for who sees it first" },
	{ "plain", OPT_FLAG, offsetof(struct view_options, plain), 0, 0, NULL,
	  "lines instead of a screen, as in a pipe" },
	{ "while", OPT_INT, offsetof(struct view_options, pid), 1, 1 << 30, "PID",
	  "follow the run until this process has ended" },
	{ "until", OPT_STRING, offsetof(struct view_options, until), 0, 0, "FILE",
	  "with --while: or until this file is there" },
	{ "cast", OPT_STRING, offsetof(struct view_options, cast), 0, 0, "FILE",
	  "write an asciinema v2 cast instead of playing" },
	{ "svg", OPT_STRING, offsetof(struct view_options, svg), 0, 0, "FILE",
	  "write an animated SVG instead of playing" },
	{ "beats", OPT_STRING, offsetof(struct view_options, beats), 0, 0, "FILE",
	  "write a JSON object a beat: when it comes, what it is, its lines" },
	{ "beat", OPT_INT, offsetof(struct view_options, beat), 1, 1 << 30, "N",
	  "only the picture of this beat: in a cast or SVG, on the terminal until a key, as text in a pipe" },
	{ "width", OPT_INT, offsetof(struct view_options, width), LINES_WIDTH_MIN, SCREEN_WIDTH_MAX, "N",
	  "columns of a cast, SVG or text (default 100), and of plain lines (default: the terminal's, or COLUMNS, or 80)" },
	{ "height", OPT_INT, offsetof(struct view_options, height), 8, SCREEN_HEIGHT_MAX, "N",
	  "rows of a cast, SVG or text (default 30)" },
};
/* clang-format on */

static const struct opt_command command = {
	.name = "kf-view",
	.usage = "DIR",
	.about = "Plays a run directory: what was asked, what chaos did, what "
	         "was caught, what was verified.",
	.rows = rows,
	.nrows = COUNT(rows),
	.args_min = 1,
	.args_max = 1,
	.examples = "kf-view runs/DIR --explain\t"
	            "the run again, with a sentence a beat\n"
	            "kf-view runs/DIR --plain >run.txt\t"
	            "as text\n",
};

/* clang-format off */
static const struct {
	const char *name;
	unsigned percent;
} paces[] = {
	{ "fast", 40 },
	{ "off",   0 },
	{ "slow", 100 },
};
/* clang-format on */

static enum err
find_pace(const char *name, unsigned *ret, struct why *why)
{
	for (size_t i = 0; i < COUNT(paces); i++)
		if (strcmp(paces[i].name, name) == 0) {
			*ret = paces[i].percent;
			return ERR_OK;
		}
	return why_set(why, ERR_SYNTAX,
	    "--pace: found \"%.40s\", expected slow, fast or off", name);
}

typedef enum err write_fn(const struct cast *c, const struct story *s, FILE *f);

static enum err
write_to(const char *path, write_fn *fn, const struct cast *c,
    const struct story *s, struct why *why)
{
	FILE *f = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
	enum err e;

	if (!f)
		return why_set(why, ERR_IO, "%s: cannot be written", path);
	e = fn(c, s, f);
	if ((f == stdout ? fflush(f) : fclose(f)) != 0)
		e = ERR_IO;
	return e == ERR_OK
	    ? ERR_OK
	    : why_set(why, e, "%s: could not be written whole", path);
}

static enum err
write_files(const struct view_options *o, const char *dir, unsigned percent,
    struct why *why)
{
	struct cast c = { .width = (unsigned)(o->width ? o->width : 100),
		.height = (unsigned)(o->height ? o->height : 30),
		.percent = percent ? percent : 100,
		.explains = o->explain,
		.only = (size_t)o->beat };
	struct evidence ev;
	struct story s;
	enum err e = evidence_load(dir, false, &ev, why);

	if (e != ERR_OK)
		return e;
	story_read(&ev, false, &s);
	if (s.nbeats == 0)
		e = why_set(why, ERR_NOTFOUND,
		    "%s: holds no run; expected trace.jsonl and kernels/", dir);
	else if (c.only > s.nbeats)
		e = why_set(why, ERR_SYNTAX,
		    "--beat: found %zu, expected 1 to %zu", c.only, s.nbeats);
	if (e == ERR_OK && o->cast)
		e = write_to(o->cast, cast_write, &c, &s, why);
	if (e == ERR_OK && o->svg)
		e = write_to(o->svg, cast_write_svg, &c, &s, why);
	if (e == ERR_OK && o->beats)
		e = write_to(o->beats, cast_write_beats, &c, &s, why);
	if (e == ERR_OK && !o->cast && !o->svg && !o->beats)
		e = write_to("-", cast_write_text, &c, &s, why);
	if (e == ERR_OK && s.alarm[0])
		e = why_set(why, ERR_STATE, "%s", s.alarm);
	story_done(&s);
	evidence_done(&ev);
	return e;
}

/* Of lines: what is asked for, or what the reader has. */
static unsigned
plain_width(const struct view_options *o)
{
	int width = o->width ? (int)o->width : columns_given(stdout);

	if (width < LINES_WIDTH_MIN)
		return LINES_WIDTH_MIN;
	return width > SCREEN_WIDTH_MAX ? SCREEN_WIDTH_MAX : (unsigned)width;
}

static enum err
view(const struct view_options *o, const char *dir, struct why *why)
{
	bool is_screen = terminal_is_drawn(stdout) && !o->plain;
	struct play p = { .dir = dir,
		.explains = o->explain,
		.is_coloured = terminal_is_coloured(stdout),
		.only = (size_t)o->beat,
		.until = o->until,
		.pid = o->pid };
	enum err e = find_pace(o->pace ? o->pace : "fast", &p.percent, why);

	if (e != ERR_OK)
		return e;
	if (o->cast || o->svg || o->beats || (o->beat && !is_screen))
		return write_files(o, dir, o->pace ? p.percent : 100, why);
	if (is_screen)
		return play_screen(&p, why);
	return play_lines(&p, plain_width(o), why);
}

int
main(int argc, char **argv)
{
	struct view_options o = { .pace = NULL };
	const char *args[1];
	size_t nargs;
	struct why why;
	enum err e = opts_parse(&command, argc, argv, &o, args, &nargs, &why);

	log_init("kf-view", LOG_LEVEL_INFO);
	if (e == ERR_STATE) /* --help and its like were answered */
		e = ERR_OK;
	else if (e == ERR_OK)
		e = view(&o, args[0], &why);
	else {
		log_error("usage", "%s", why.text);
		return EXIT_USAGE;
	}
	if (e == ERR_OK && (fflush(stdout) != 0 || ferror(stdout)))
		e = why_set(&why, ERR_IO, "output: could not be written whole");
	if (e != ERR_OK)
		log_error("view", "%s", why.text);
	return (int)err_exit_code(e);
}
