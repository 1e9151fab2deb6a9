/*
 * kf-chaos plan SCENARIO REQUESTS: what would fire for these requests, in
 * this order, without sending one.
 */
#include "chaos/commands.h"

#include <ctype.h>
#include <stdio.h>

#include "base/opts.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/request_key.h"
#include "chaos/trials/supposed_requests.h"

struct options {
	const char *seed;
};

static const struct opt rows[] = {
	{ "seed", OPT_STRING, offsetof(struct options, seed), 0, 0, "S",
	    "replaces the scenario's seed" },
};

static const struct opt_command command = {
	.name = "kf-chaos plan",
	.usage = "SCENARIO REQUESTS",
	.about = "Prints, for each request of a file (one JSON object a "
	         "line: proxy, method, path, headers, body), its key and "
	         "attempt and which faults would act on it.  Faults on answers "
	         "act if the answer lets them.",
	.rows = rows,
	.nrows = 1,
	.args_min = 2,
	.args_max = 2,
	.examples = "kf-chaos plan storm.json requests.jsonl\t"
	            "what would fire, without a request\n",
};

static size_t
print_shots(struct shot *shots, size_t n, const char *where)
{
	size_t fired = 0;

	for (size_t i = 0; i < n; i++) {
		if (!shot_fire(&shots[i], NULL))
			continue;
		fired++;
		printf("  %s:%s(%s)", shots[i].rule->id,
		    shot_type(&shots[i])->name, where);
	}
	/* Only when all have fired: max_active counts those of one exchange
	 * together. */
	for (size_t i = 0; i < n; i++)
		shot_done(&shots[i], "not reached");
	return fired;
}

/* Whoever wrote the requests down, a terminal may show them. */
static void
print_plain(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		putchar(iscntrl((unsigned char)s.p[i]) ? '?' : s.p[i]);
}

static bool
plan_one(struct engine *e, size_t number, struct facts *f)
{
	struct shot shots[SHOTS_MAX];
	bool settled = false;
	size_t n, fired;

	engine_see(e, f);
	printf("%zu %s ", number, f->proxy);
	print_plain(facts_method(f));
	putchar(' ');
	print_plain(facts_path(f));
	printf(" key=%s attempt=%llu", identity_key(f),
	    (unsigned long long)f->attempt);
	n = engine_choose(e, f, ENGINE_REQUEST, 0, shots, SHOTS_MAX, &settled);
	fired = print_shots(shots, n, "request");
	n = settled
	    ? 0
	    : engine_choose(e, f, ENGINE_ANSWER, 0, shots, SHOTS_MAX, &settled);
	fired += print_shots(shots, n, "answer");
	printf("%s\n", fired ? "" : "  -");
	return fired > 0;
}

static enum err
plan(const struct options *o, const struct scenario *s, const char *path,
    struct why *why)
{
	struct supposed_request *asked = NULL;
	struct events *ev = NULL;
	struct engine *e;
	size_t n = 0, struck = 0;
	enum err err = supposed_requests_read(path, s, &asked, &n, why);

	if (err == ERR_OK)
		err = events_open(NULL, &ev, why);
	if (err == ERR_OK) {
		e = engine_new(s, o->seed, ev, 0);
		for (size_t i = 0; i < n; i++)
			struck += plan_one(e, i + 1, &asked[i].facts);
		printf("%zu of %zu requests would be struck\n", struck, n);
		engine_free(e);
	}
	events_close(ev);
	supposed_requests_free(asked, n);
	return err;
}

static int
run_plan(int argc, char **argv)
{
	struct options o = { NULL };
	struct scenario *s = NULL;
	const char *args[2];
	size_t nargs = 0;
	struct why why = { "" };
	enum err e;
	int code;

	if (!command_parse(&cmd_plan, argc, argv, &o, args, &nargs, &code))
		return code;
	e = scenario_read(args[0], &s, &why);
	if (e == ERR_OK)
		e = plan(&o, s, args[1], &why);
	scenario_free(s);
	return command_end(&cmd_plan, e, &why);
}

const struct command cmd_plan = { "plan", &command, run_plan };
