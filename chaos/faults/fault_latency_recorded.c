/*
 * latency_recorded{file|samples,percent}: requests wait as they waited
 * somewhere once: the file (by its path from where the program runs) has a
 * number of milliseconds a line, samples is a list of them, and each request
 * draws one.  percent stretches or shrinks all.  The file is read when the
 * scenario is, so that a number that is none is told before anything runs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/mem.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"

#define SAMPLES_MAX 65536
#define FILE_MAX    ((size_t)1 << 20)
#define WAIT_MAX_MS 3600000.0

struct conf {
	const char *file;
	json_t *samples; /* borrowed */
	int64_t percent;
};

struct state { /* as read by the first request */
	size_t n;
	uint64_t us[SAMPLES_MAX];
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "file",    JF_STRING, 0, 0, 4096,   offsetof(struct conf, file),    NULL },
	{ "percent", JF_INT,    0, 1, 100000, offsetof(struct conf, percent), NULL },
	{ "samples", JF_ARRAY,  0, 0, 0,      offsetof(struct conf, samples), NULL },
};
/* clang-format on */

static void
defaults(void *conf)
{
	((struct conf *)conf)->percent = 100;
}

/* One number of milliseconds more. */
static enum err
add(struct state *ret, double ms, const char *what, unsigned number,
    struct why *why)
{
	if (!(ms >= 0 && ms <= WAIT_MAX_MS))
		return why_set(why, ERR_SYNTAX,
		    "%s %u: expected milliseconds, 0 to 3600000", what, number);
	if (ret->n == SAMPLES_MAX)
		return why_set(why, ERR_TOOBIG, "more than %d numbers",
		    SAMPLES_MAX);
	ret->us[ret->n++] = (uint64_t)(ms * US_PER_MS);
	return ERR_OK;
}

/* Numbers, a line each; empty lines and lines that begin with # are none. */
static enum err
read_lines(char *text, struct state *ret, struct why *why)
{
	char *rest = text, *line, *end;
	unsigned number = 0;
	enum err e = ERR_OK;

	while (e == ERR_OK && (line = strsep(&rest, "\n"))) {
		double ms;

		number++;
		line[strcspn(line, "\r")] = '\0';
		if (line[0] == '\0' || line[0] == '#')
			continue;
		ms = strtod(line, &end);
		e = add(ret, end == line || *end ? -1 : ms, "line", number,
		    why);
	}
	return e;
}

static enum err
read_list(json_t *list, struct state *ret, struct why *why)
{
	enum err e = ERR_OK;
	json_t *v;
	size_t i;

	json_array_foreach(list, i, v) {
		if (e == ERR_OK)
			e = add(ret,
			    json_is_number(v) ? json_number_value(v) : -1,
			    "sample", (unsigned)i + 1, why);
	}
	return e;
}

static enum err
load(const struct conf *c, struct state *ret, struct why *why)
{
	char *text = NULL;
	struct stat st;
	enum err e;

	ret->n = 0;
	if (c->samples) {
		e = read_list(c->samples, ret, why);
	} else {
		/* A pipe would hold up the loop for as long as nobody writes:
		 * a toxic names its file while others are served. */
		e = stat(c->file, &st) == 0 && !S_ISREG(st.st_mode)
		    ? why_set(why, ERR_SYNTAX, "expected a plain file")
		    : files_read(c->file, FILE_MAX, &text, NULL, why);
		if (e == ERR_OK)
			e = read_lines(text, ret, why);
		free(text);
	}
	if (e == ERR_OK && ret->n == 0)
		e = why_set(why, ERR_RANGE, "expected a number at least");
	return e;
}

static enum err
check(const void *conf, const char *pointer, struct why *why)
{
	const struct conf *c = conf;
	struct state *trial;
	enum err e;

	if (!c->file == !c->samples)
		return why_set(why, ERR_SYNTAX,
		    "%s: expected one of file and samples", pointer);
	trial = xcalloc(1, sizeof *trial);
	e = load(c, trial, why);
	free(trial);
	return e == ERR_OK ? e
	                   : why_prefix(why, e, "%s/%s", pointer,
	                         c->samples ? "samples" : "file");
}

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	const struct conf *c = shot_conf(s);
	struct state *state = shot_state(s);
	uint64_t us;

	if (state->n == 0 && load(c, state, NULL) != ERR_OK) {
		shot_bypass(s, "its file is gone");
		return FAULT_GO_ON;
	}
	us = state->us[shot_between(s, "sample", 0, state->n - 1)] *
	    (uint64_t)c->percent / 100;
	if (!shot_fire(s, json_pack("{sI}", "delay_us", (json_int_t)us)))
		return FAULT_GO_ON;
	exchange_wait(x, us);
	return FAULT_WAIT;
}

const struct fault_type fault_latency_recorded = {
	.name = "latency_recorded",
	.about = "requests wait as a file says they once did",
	FAULT_CONF,
	.defaults = defaults,
	.check = check,
	.state_bytes = sizeof(struct state),
	.on_request = on_request,
};
