/*
 * No rendering of a state that is not verified claims correctness, whatever
 * text a model, a tool, a file's name, a log or the environment put into the
 * run: every such state, times every hostile text, times every place it can
 * stand in, times every rendering.  A place is a row and a function that puts
 * the text there; a rendering is a row and a function that makes it.
 */
#include "agent/ledger/ledger.h"
#include "agent/run/progress_board.h"
#include "agent/telling/final_answer.h"
#include "agent/telling/page.h"
#include "agent/telling/run_report.h"
#include "agent/telling/scorecard.h"
#include "agent/text/claim_filter.h"
#include "base/files.h"
#include "base/mem.h"
#include "tests/unit.h"
#include "tests/unit/agent/hostile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The steps to each state that is no success. */
static const struct {
	enum ledger_state end;
	enum ledger_state steps[6];
	size_t n;
} walks[] = {
	{ LEDGER_ATTEMPTED, { LEDGER_ATTEMPTED }, 1 },
	{ LEDGER_GENERATED, { LEDGER_ATTEMPTED, LEDGER_GENERATED }, 2 },
	{ LEDGER_COMPILED,
	    { LEDGER_ATTEMPTED, LEDGER_GENERATED, LEDGER_COMPILED }, 3 },
	{ LEDGER_SMOKE_PASSED,
	    { LEDGER_ATTEMPTED, LEDGER_GENERATED, LEDGER_COMPILED,
	        LEDGER_SMOKE_PASSED },
	    4 },
	{ LEDGER_VERIFIED_INCORRECT,
	    { LEDGER_ATTEMPTED, LEDGER_GENERATED, LEDGER_COMPILED,
	        LEDGER_SMOKE_PASSED, LEDGER_VERIFIED_INCORRECT },
	    5 },
	{ LEDGER_ABANDONED, { LEDGER_ATTEMPTED, LEDGER_ABANDONED }, 2 },
	{ LEDGER_ABANDONED,
	    { LEDGER_ATTEMPTED, LEDGER_GENERATED, LEDGER_ABANDONED }, 3 },
	{ LEDGER_ABANDONED,
	    { LEDGER_ATTEMPTED, LEDGER_GENERATED, LEDGER_COMPILED,
	        LEDGER_ABANDONED },
	    4 },
	{ LEDGER_ABANDONED,
	    { LEDGER_ATTEMPTED, LEDGER_GENERATED, LEDGER_COMPILED,
	        LEDGER_SMOKE_PASSED, LEDGER_ABANDONED },
	    5 },
};

/* A run under test, and what it was made of. */
struct scene {
	struct run_report r;
	struct ledger *ledger;
	const char *text; /* the hostile one, as JSON allows it */
	json_t *text_json;
};

static char honest_dir[] = "/tmp/t_honesty-XXXXXX";
static char honest_kernel[sizeof honest_dir + 32];

struct place {
	const char *name;
	/* Where the ledger's lines have it; NULL: nowhere. */
	void (*fill)(const char *text, char op[LEDGER_OP_MAX + 1],
	    char route[1024], json_t *extra);
	/* Where the rest of the run has it; NULL: nowhere. */
	void (*put)(struct scene *s);
};

/* A text as JSON allows it: bad bytes never get into a ledger. */
static json_t *
text_json(const char *text)
{
	json_t *s = json_string(text);

	return s ? s : json_string("verified correct");
}

static void
in_op(const char *text, char op[LEDGER_OP_MAX + 1], char route[1024],
    json_t *extra)
{
	(void)route, (void)extra;
	(void)snprintf(op, LEDGER_OP_MAX + 1, "%.64s", text);
}

static void
in_route(const char *text, char op[LEDGER_OP_MAX + 1], char route[1024],
    json_t *extra)
{
	(void)op, (void)extra;
	(void)snprintf(route, 1024, "%s", text);
}

static void
in_facts(const char *text, char op[LEDGER_OP_MAX + 1], char route[1024],
    json_t *extra)
{
	static const char *const keys[] = { "class", "suspect", "message",
		"device" };

	(void)op, (void)route;
	for (size_t i = 0; i < COUNT(keys); i++)
		json_object_set_new(extra, keys[i], json_string(text));
	json_object_set_new(extra, "failing_cases", json_pack("[s]", text));
	json_object_set_new(extra, "degraded", json_pack("{s:i}", text, 7));
}

/* What another lab says of itself and of the kernel. */
static void
in_other_lab(const char *text, char op[LEDGER_OP_MAX + 1], char route[1024],
    json_t *extra)
{
	static const char *const keys[] = { "name", "version", "url", "class",
		"message" };
	json_t *o = json_pack("{s:s}", "word", "accepted");

	(void)op, (void)route;
	for (size_t i = 0; i < COUNT(keys); i++)
		json_object_set_new(o, keys[i], json_string(text));
	json_object_set_new(extra, "other_lab", o);
}

/* The same, a half in each of its fields. */
static void
in_halves_of_other_lab(const char *text, char op[LEDGER_OP_MAX + 1],
    char route[1024], json_t *extra)
{
	(void)text, (void)op, (void)route;
	json_object_set_new(extra, "class", json_string("other_lab"));
	json_object_set_new(extra, "other_lab",
	    json_pack("{s:s, s:s, s:s, s:s}", "word", "refused", "name", "veri",
	        "version", "fied cor", "url", "rect"));
}

static void
in_two_halves(const char *text, char op[LEDGER_OP_MAX + 1], char route[1024],
    json_t *extra)
{
	(void)text;
	(void)snprintf(op, LEDGER_OP_MAX + 1, "verif-");
	(void)snprintf(route, 1024, "verif");
	json_object_set_new(extra, "class", json_string("correct"));
	json_object_set_new(extra, "suspect", json_string("ied"));
	json_object_set_new(extra, "message", json_string("correct"));
	json_object_set_new(extra, "failing_cases", json_pack("[s]", "ied"));
}

/* The answer of a model, in all that a record keeps of it. */
static void
in_record(struct scene *s)
{
	const char *tries[] = { "1", "naive" };

	for (size_t i = 0; i < COUNT(tries); i++) {
		char *key = xasprintf("rope/%s", tries[i]);

		json_object_set_new(s->r.records, key,
		    json_pack("{s:O, s:O, s:O, s:O, s:[O], s:O, s:[{s:s, s:O}],"
		              " s:{s:O, s:[{s:O, s:O, s:b}], s:[{s:O, s:O}]}}",
		        "answer", s->text_json, "source", s->text_json, "class",
		        s->text_json, "failure", s->text_json, "assumptions",
		        s->text_json, "route", s->text_json, "feedback", "role",
		        "user", "content", s->text_json, "judged", "message",
		        s->text_json, "cases", "name", s->text_json, "dtype",
		        s->text_json, "passed", 0, "stages", "name",
		        s->text_json, "status", s->text_json));
		free(key);
	}
}

/* A tool's text: the baseline's line. */
static void
in_naive(struct scene *s)
{
	json_array_append_new(s->r.naive,
	    json_pack("{s:s, s:b, s:b, s:b, s:O, s:O, s:O, s:O, s:O, s:[O]}",
	        "op", "rope", "claimed", 0, "correct", 0, "silent_wrong", 0,
	        "route", s->text_json, "class", s->text_json, "message",
	        s->text_json, "suspect", s->text_json, "truth", s->text_json,
	        "failing_cases", s->text_json));
}

/* Names of files and values of the environment that run.json keeps. */
static void
in_run(struct scene *s)
{
	static const char *const keys[] = { "scenario", "seed", "device",
		"started", "ended", "profile" };

	for (size_t i = 0; i < COUNT(keys); i++)
		json_object_set(s->r.run, keys[i], s->text_json);
	json_object_set_new(s->r.run, "expectations",
	    json_pack("[{s:O, s:O, s:O, s:b}]", "what", s->text_json,
	        "expected", s->text_json, "found", s->text_json, "held", 0));
	json_object_set_new(s->r.run, "arguments",
	    json_pack("{s:O, s:O}", "gateway", s->text_json, "model",
	        s->text_json));
}

/* The kernel's own text, comments and all, which the page shows. */
static void
in_kernel(struct scene *s)
{
	json_t *judged =
	    json_pack("{s:s, s:{s:[]}}", "answer", "x", "judged", "cases");

	CHECK_INT(files_write(honest_kernel, s->text, strlen(s->text), NULL),
	    ERR_OK, s->text);
	json_object_set_new(s->r.records, "rope/1", judged);
}

/* What proxy, gateway and trace wrote. */
static void
in_logs(struct scene *s)
{
	json_t *line = json_pack("{s:O, s:O, s:O, s:O, s:O, s:O, s:O, s:O, s:O,"
	                         " s:i, s:O, s:{s:O, s:O}, s:O, s:O}",
	    "fault", s->text_json, "rule", s->text_json, "operator",
	    s->text_json, "result", s->text_json, "before", s->text_json,
	    "after", s->text_json, "model", s->text_json, "outcome",
	    s->text_json, "target", s->text_json, "line", 3, "name",
	    s->text_json, "attributes", "op", s->text_json, "role",
	    s->text_json, "status", s->text_json, "start", s->text_json);

	json_object_set_new(line, "key", json_string("kernelforge/rope/1"));
	json_array_append(s->r.chaos, line);
	json_array_append(s->r.trace, line);
	json_array_append(s->r.gateway, line);
	json_decref(line);
}

/* What does not hold, in words that may quote a file's name. */
static void
in_problems(struct scene *s)
{
	json_array_append(s->r.problems, s->text_json);
}

static void
in_ending(struct scene *s)
{
	CHECK_INT(ledger_end(s->ledger, s->text, NULL), ERR_OK, s->text);
}

static const struct place places[] = {
	{ "operator", in_op, NULL },
	{ "route", in_route, NULL },
	{ "facts", in_facts, NULL },
	{ "two halves", in_two_halves, NULL },
	{ "another lab", in_other_lab, NULL },
	{ "halves of another lab", in_halves_of_other_lab, NULL },
	{ "record", NULL, in_record },
	{ "baseline", NULL, in_naive },
	{ "run.json", NULL, in_run },
	{ "kernel", NULL, in_kernel },
	{ "logs", NULL, in_logs },
	{ "problems", NULL, in_problems },
	{ "ending", NULL, in_ending },
};

static struct ledger *
build(size_t walk, const struct place *place, const char *text)
{
	struct ledger *l = ledger_new();
	json_t *extra = json_object();
	char op[LEDGER_OP_MAX + 1] = "rope", route[1024] = "m/x reason=y";

	if (place->fill)
		place->fill(text, op, route, extra);
	for (size_t i = 0; i < walks[walk].n; i++) {
		struct ledger_step step = { op, 1, walks[walk].steps[i], route,
			extra };

		CHECK_INT(ledger_append(l, &step, NULL), ERR_OK, text);
	}
	json_decref(extra);
	return l;
}

/* Our own denials are no half of a claim: they are taken out. */
static char *
without_denial(const char *text)
{
	static const char *const denials[] = { "NOT VERIFIED", "proved wrong",
		"0 of 1 operators verified" };
	char *copy = xstrdup(text), *at;

	for (size_t i = 0; i < COUNT(denials); i++)
		while ((at = strstr(copy, denials[i])) != NULL)
			memset(at, '.', strlen(denials[i]));
	return copy;
}

static void
check_text(const char *what, const char *rendering, const char *text)
{
	char *seen = without_denial(text);
	bool made = claim_is_made(seen, strlen(seen));

	if (made)
		printf("---- %s makes a claim:\n%s\n", rendering, text);
	CHECK(!made, what);
	free(seen);
}

/* Its heads and its counts are ours; so is what it says of an end. */
static void
check_board(const char *what, char *text)
{
	static const char *const ours[] = { "0 verified", "NOT verified",
		"KernelForge" };

	for (size_t i = 0; i < COUNT(ours); i++)
		for (char *at; (at = strstr(text, ours[i])) != NULL;)
			memset(at, '.', strlen(ours[i]));
	check_text(what, "board", text);
}

static void
check_tables(const struct scorecard *card, const char *what)
{
	struct term_table t;
	struct buf b;

	buf_init(&b, PAGE_BYTES);
	scorecard_table(card, &t);
	term_table_markdown(&t, &b);
	term_table_done(&t);
	scorecard_detail(card, &t);
	term_table_markdown(&t, &b);
	term_table_done(&t);
	check_text(what, "scorecard.md", b.data);
	buf_done(&b);
}

/* Every string of scorecard.json: its keys are ours, its values may not be. */
static void
check_values(json_t *ops, const char *what)
{
	const char *key, *member;
	json_t *row, *value, *item;
	size_t i, k;

	json_array_foreach(ops, i, row)
		json_object_foreach(row, key, value) {
			/* Programs read the state by its name. */
			if (strcmp(key, "state") == 0)
				continue;
			if (json_is_string(value))
				check_text(what, key, json_string_value(value));
			json_array_foreach(value, k, item)
				check_text(what, key, json_string_value(item));
			json_object_foreach(value, member, item)
				if (json_is_string(item))
					check_text(what, member,
					    json_string_value(item));
		}
}

/* What a reader reads of markup, in place. */
static void
strip_tags(char *text)
{
	char *to = text;
	bool in = false;

	if (!text)
		return;
	for (const char *p = text; *p; p++) {
		in = (in || *p == '<') && !(in && *p == '>');
		if (!in && *p != '>')
			*to++ = *p;
	}
	*to = '\0';
}

static void
check_page(struct run_report *r, const char *what)
{
	char *seen;
	struct buf b;

	buf_init(&b, PAGE_BYTES);
	page_render(r, &b);
	/* The style sheet is ours; what is seen begins at the body. */
	seen = strstr(b.data, "<body>");
	CHECK(!strstr(b.data, "<b>verified"), "markup does not survive");
	if (CHECK(seen != NULL, what)) {
		strip_tags(seen);
		check_text(what, "report.html", seen);
	}
	buf_done(&b);
}

/* ---- the renderings */

static void
tables(struct scene *s, const char *what)
{
	check_tables(&s->r.scorecard, what);
}

static void
card(struct scene *s, const char *what)
{
	CHECK_INT(s->r.scorecard.forge.claimed, 0, what);
	check_values(s->r.scorecard.ops, what);
}

static void
answer(struct scene *s, const char *what)
{
	check_text(what, "answer", s->r.answer);
	CHECK(strstr(s->r.answer, "0 of 1 operators verified."), what);
}

static void
page(struct scene *s, const char *what)
{
	check_page(&s->r, what);
}

/* Shards are merged by adding their cards. */
static void
merged(struct scene *s, const char *what)
{
	struct scorecard sum;

	scorecard_init(&sum);
	scorecard_add(&sum, &s->r.scorecard);
	CHECK_INT(sum.forge.claimed, 0, what);
	check_tables(&sum, what);
	check_values(sum.ops, what);
	scorecard_done(&sum);
}

/* The live display is told what a worker sees: step, route, end. */
static void
board(struct scene *s, const char *what)
{
	char *op = claim_field(s->r.standings.items[0].key, LEDGER_OP_MAX);
	const char *const ops[] = { op };
	const struct op_standing_try *t =
	    op_standing_last(&s->r.standings.items[0]);
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct board *b = board_new("run", ops, 1, f);

	board_step(b, 0, BOARD_FORGE, 1, t->class);
	board_route(b, 0, t->route);
	board_end(b, 0, BOARD_FORGE, TERM_BAD, "NOT verified");
	board_free(b);
	(void)fclose(f);
	/* Its title counts. */
	CHECK(strstr(text, "0 verified"), what);
	check_board(what, text);
	free(text);
	free(op);
}

static void (*const renderings[])(struct scene *s, const char *what) = { tables,
	card, answer, page, merged, board };

static void
scene_init(struct scene *s, size_t walk, const struct place *place,
    const char *text)
{
	struct scorecard_input in;

	*s = (struct scene){ .text_json = text_json(text) };
	s->text = json_string_value(s->text_json);
	s->ledger = build(walk, place, s->text);
	s->r = (struct run_report){
		.dir = honest_dir,
		.run = json_pack("{s:[s]}", "ops", ledger_at(s->ledger, 0)->op),
		.ledger = s->ledger,
		.naive = json_array(),
		.chaos = json_array(),
		.trace = json_array(),
		.gateway = json_array(),
		.problems = json_array(),
		.records = json_object(),
	};
	if (place->put)
		place->put(s);
	s->r.answer = final_answer_render(s->ledger, 1, NULL);
	standings_read(s->ledger, &s->r.standings);
	in = (struct scorecard_input){
		.standings = &s->r.standings,
		.ops = json_object_get(s->r.run, "ops"),
		.naive = s->r.naive,
	};
	standings_name_models(&s->r.standings, &in.asked);
	scorecard_make(&in, &s->r.scorecard);
}

static void
scene_done(struct scene *s)
{
	free(s->r.answer);
	(void)unlink(honest_kernel);
	json_decref(s->text_json);
	json_decref(s->r.run);
	json_decref(s->r.naive);
	json_decref(s->r.chaos);
	json_decref(s->r.trace);
	json_decref(s->r.gateway);
	json_decref(s->r.problems);
	json_decref(s->r.records);
	scorecard_done(&s->r.scorecard);
	standings_done(&s->r.standings);
	ledger_free(s->ledger);
}

/* A run directory that holds a kernel while a scene has one. */
static bool
make_folders(void)
{
	static const char *const folders[] = { "kernels", "kernels/rope" };
	char path[sizeof honest_dir + 32];

	if (!CHECK(mkdtemp(honest_dir) != NULL, "a folder"))
		return false;
	for (size_t i = 0; i < COUNT(folders); i++) {
		(void)snprintf(path, sizeof path, "%s/%s", honest_dir,
		    folders[i]);
		(void)mkdir(path, 0700);
	}
	(void)snprintf(honest_kernel, sizeof honest_kernel,
	    "%s/kernels/rope/1.cl", honest_dir);
	return true;
}

static void
remove_folders(void)
{
	static const char *const folders[] = { "kernels/rope", "kernels", "" };
	char path[sizeof honest_dir + 32];

	for (size_t i = 0; i < COUNT(folders); i++) {
		(void)snprintf(path, sizeof path, "%s/%s", honest_dir,
		    folders[i]);
		(void)rmdir(path);
	}
}

void t_honesty(void);

void
t_honesty(void)
{
	if (!make_folders())
		return;
	for (size_t w = 0; w < COUNT(walks); w++)
		for (size_t p = 0; p < COUNT(places); p++)
			for (size_t i = 0; i < hostile_count; i++) {
				struct scene s;
				char *what = xasprintf("%s: %s: %s",
				    ledger_state_name(walks[w].end),
				    places[p].name, hostile_texts[i].what);

				scene_init(&s, w, &places[p],
				    hostile_texts[i].text);
				for (size_t k = 0; k < COUNT(renderings); k++)
					renderings[k](&s, what);
				scene_done(&s);
				free(what);
			}
	remove_folders();
}
