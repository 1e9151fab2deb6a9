/*
 * The rules at work: who wins, which limits hold, what the log says, and that
 * the run hash does not depend on the order of requests.
 */
#include "chaos/rules/engine.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/files.h"
#include "base/mem.h"
#include "chaos/rules/unmet_goals.h"
#include "tests/unit.h"

#define FULL_BYTES 500 /* room for one line of the log, not for two */

struct bench {
	struct scenario *s;
	struct events *ev;
	struct engine *e;
	struct http1_head head;
};

static void
bench_open(struct bench *b, const char *parts, const char *seed)
{
	char *path = files_join(unit_tmpdir(), "s.json");
	char *text = xasprintf(
	    "{\"chaos\":1,\"name\":\"t\",\"seed\":\"1\",\"proxies\":{\"p\":"
	    "{\"listen\":\"127.0.0.1:0\",\"upstream\":\"127.0.0.1:1\"}},%s}",
	    parts);
	struct why why = { "" };

	memset(b, 0, sizeof *b);
	files_write(path, text, strlen(text), &why);
	CHECK(scenario_read(path, &b->s, &why) == ERR_OK, why.text);
	CHECK(events_open(NULL, &b->ev, &why) == ERR_OK, why.text);
	b->e = engine_new(b->s, seed, b->ev, 1000);
	b->head.method = slice_of("POST");
	b->head.target = slice_of("/");
	free(text);
	free(path);
}

static void
bench_close(struct bench *b)
{
	engine_free(b->e);
	events_close(b->ev);
	scenario_free(b->s);
}

/* One request of a session; the ids of rules that fired, at both points. */
static void
ask(struct bench *b, const char *session, uint64_t now_ms, char *out,
    size_t size)
{
	struct facts f;
	struct shot shots[SHOTS_MAX];
	bool settled = false;
	size_t n, at = 0;

	b->head.headers[0] = (struct http1_header){ slice_of("x-session-id"),
		slice_of(session) };
	b->head.nheaders = 1;
	facts_init(&f, "p", &b->head, slice_of(""));
	engine_see(b->e, &f);
	n = engine_choose(b->e, &f, ENGINE_REQUEST, now_ms, shots, SHOTS_MAX,
	    &settled);
	n += engine_choose(b->e, &f, ENGINE_ANSWER, now_ms, shots + n,
	    SHOTS_MAX - n, &settled);
	out[0] = '\0';
	for (size_t i = 0; i < n; i++)
		if (shot_fire(&shots[i], NULL))
			at += (size_t)snprintf(out + at, size - at, "%s",
			    shots[i].rule->id);
	for (size_t i = 0; i < n; i++)
		shot_done(&shots[i], "over");
	facts_done(&f);
}

#define RULE(id, extra, fault)                                                 \
	"{\"id\":\"" id "\"," extra "\"fault\":{\"type\":\"" fault "\""        \
	"}}"
#define ALWAYS "\"when\":{\"always\":true},"
#define CUT    "sse_cut\",\"after_events\":1,\"how\":\"fin"

static void
check_choice(void)
{
	static const struct {
		const char *what, *parts, *want; /* of five requests */
	} rows[] = {
		{ "the first rule wins",
		    "\"rules\":[" RULE("a", ALWAYS, "latency") "," RULE("b",
		        ALWAYS, "latency") "]",
		    "a a a a a" },
		{ "unless it says also",
		    "\"rules\":[" RULE("a", ALWAYS "\"also\":true,",
		        "latency") "," RULE("b", ALWAYS, "latency") "]",
		    "ab ab ab ab ab" },
		{ "a rule that does not fire leaves it to the next",
		    "\"rules\":[" RULE("a", "\"when\":{\"nth\":2},",
		        "latency") "," RULE("b", ALWAYS, "latency") "]",
		    "b a b b b" },
		{ "faults of the request come before faults of the answer",
		    "\"rules\":[" RULE("a", ALWAYS "\"also\":true,",
		        CUT) "," RULE("b", ALWAYS "\"also\":true,",
		        "latency") "]",
		    "ba ba ba ba ba" },
		{ "after another rule fired for the key",
		    "\"rules\":[" RULE("a",
		        "\"when\":{\"after\":{\"rule\":\"b\"}},",
		        "latency") "," RULE("b", "\"when\":{\"nth\":3},",
		        "latency") "]",
		    "- - b a a" },
		{ "a phase by count",
		    "\"phases\":[{\"name\":\"x\",\"until\":{\"requests\":2}},"
		    "{\"name\":\"y\"}],\"rules\":[" RULE("a",
		        ALWAYS "\"phase\":\"y\",", "latency") "," RULE("b",
		        ALWAYS "\"phase\":\"x\",", "latency") "]",
		    "b b a a a" },
		{ "max_fires",
		    "\"limits\":{\"max_fires\":2},\"rules\":[" RULE("a", ALWAYS,
		        "latency") "]",
		    "a a - - -" },
		{ "ttl_s, a second a request",
		    "\"limits\":{\"ttl_s\":3},\"rules\":[" RULE("a", ALWAYS,
		        "latency") "]",
		    "a a a - -" },
	};
	char got[128], one[32];

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct bench b;
		size_t at = 0;

		bench_open(&b, rows[i].parts, NULL);
		for (uint64_t k = 0; k < 5; k++) {
			ask(&b, "s", 1000 + 1000 * k, one, sizeof one);
			at += (size_t)snprintf(got + at, sizeof got - at,
			    "%s%s", k ? " " : "", one[0] ? one : "-");
		}
		CHECK_STR(got, rows[i].want, rows[i].what);
		bench_close(&b);
	}
}

/* Four equal requests, all under way before one is answered: what is after a
 * rule hangs on the attempt alone, and not on how far another one has come. */
static void
check_after_together(void)
{
	struct facts f[4];
	struct shot shots[4][SHOTS_MAX];
	bool settled[4] = { false };
	char got[8] = "";
	struct bench b;

	bench_open(&b,
	    "\"rules\":[" RULE("a", "\"when\":{\"nth\":2},",
	        "empty_reply") "," RULE("b",
	        "\"when\":{\"after\":{\"rule\":\"a\"}},", CUT) "]",
	    NULL);
	for (size_t i = 0; i < 4; i++) {
		facts_init(&f[i], "p", &b.head, slice_of(""));
		engine_see(b.e, &f[i]);
		if (engine_choose(b.e, &f[i], ENGINE_REQUEST, 1000, shots[i],
		        SHOTS_MAX, &settled[i])) {
			/* That it did not act is not asked. */
			shot_bypass(&shots[i][0], "no reason");
			shot_done(&shots[i][0], "over");
		}
	}
	for (size_t i = 0; i < 4; i++) {
		got[i] = settled[i] ? 'a' : '-';
		if (!settled[i] &&
		    engine_choose(b.e, &f[i], ENGINE_ANSWER, 1000, shots[i],
		        SHOTS_MAX, &settled[i])) {
			got[i] = 'b';
			shot_done(&shots[i][0], "over");
		}
		facts_done(&f[i]);
	}
	CHECK_STR(got, "-abb", "the first is not struck by the second's rule");
	bench_close(&b);
}

/* 40 sessions of 5 requests, in an order that depends on step. */
static void
run_hash(const char *seed, size_t step, char out[DIGEST_HEX])
{
	struct bench b;
	char session[16], one[32];

	bench_open(&b,
	    "\"rules\":[" RULE("a", "\"when\":{\"p\":0.3},", "latency") "]",
	    seed);
	for (size_t i = 0; i < 200; i++) {
		snprintf(session, sizeof session, "s%zu", i * step % 40);
		ask(&b, session, 1000, one, sizeof one);
	}
	events_run_hash(b.ev, out);
	CHECK(events_count(b.ev) > 30 && events_count(b.ev) < 90,
	    "about three of ten fire");
	bench_close(&b);
}

static void
check_order(void)
{
	char first[DIGEST_HEX], other[DIGEST_HEX], seeded[DIGEST_HEX];

	run_hash(NULL, 1, first);
	run_hash(NULL, 7, other);
	run_hash("2", 1, seeded);
	CHECK_STR(other, first, "another order, the same run hash");
	CHECK(strcmp(seeded, first) != 0, "another seed, another one");
}

static void
keep_line(const char *line, void *arg)
{
	snprintf(arg, 256, "%s", line);
}

static void
check_goals(void)
{
	struct bench b;
	char one[32], line[256] = "";

	bench_open(&b,
	    "\"rules\":[" RULE("a",
	        "\"when\":{\"nth\":2},\"goal\":\"fired>=1\",", "latency") "]",
	    NULL);
	ask(&b, "s", 1000, one, sizeof one);
	CHECK_INT(unmet_goals(b.e, b.s, keep_line, line), 1, "not yet");
	CHECK_STR(line,
	    "goal not met: rule a: fired>=1 (matched 1, fired 0, bypassed 0)",
	    "the line");
	ask(&b, "s", 1000, one, sizeof one);
	CHECK_INT(unmet_goals(b.e, b.s, keep_line, line), 0, "now");
	bench_close(&b);
}

/* A log that cannot be written stops the faults, not the proxy. */
static void
check_full_disk(void)
{
	static const struct event e = { "r", "f", "p", "k", 1, EVENT_FIRED,
		false };
	char *path = files_join(unit_tmpdir(), "full.jsonl");
	struct rlimit before, small;
	struct events *ev = NULL;
	bool first, second, broken;

	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = FULL_BYTES;
	signal(SIGXFSZ, SIG_IGN);
	CHECK(events_open(path, &ev, NULL) == ERR_OK, "the log opens");
	setrlimit(RLIMIT_FSIZE, &small);
	first = events_add(ev, &e, NULL);
	second = events_add(ev, &e, NULL);
	broken = events_are_broken(ev);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
	CHECK(first, "a line that fits is written");
	CHECK(!second && broken, "one that does not is refused");
	CHECK(!events_add(ev, &e, NULL), "for good, also with room again");
	events_close(ev);
	free(path);
}

void
t_engine(void)
{
	check_choice();
	check_after_together();
	check_order();
	check_goals();
	check_full_disk();
}
