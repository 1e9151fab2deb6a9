/*
 * get_ledger: what a run proved, by its name in one folder.
 *
 * The run is proved first, files and all; a run that does not hold says so and
 * claims nothing.  Seeds stay where they are.
 */
#include "agent/service/tools.h"
#include "agent/telling/run_report.h"
#include "agent/text/claim_filter.h"
#include "base/files.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_MAX      1000
#define RUN_NAME_MAX  128
#define PROBLEM_CHARS 200

/* clang-format off */
const char tool_get_ledger_output[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"runs\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"run\":{\"type\":\"string\"},\"holds\":{\"type\":\"boolean\"},"
    "\"problems\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"records\":{\"type\":\"integer\"},\"fingerprint\":{\"type\":\"string\"},"
    "\"ops\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
      "\"op\":{\"type\":\"string\"},\"state\":{\"type\":\"string\"},\"iterations\":{\"type\":\"integer\"},"
      "\"route\":{\"type\":\"string\"},\"class\":{\"type\":\"string\"},"
      "\"failing\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}},"
      "\"required\":[\"op\",\"state\",\"iterations\",\"route\",\"class\",\"failing\"]}}}}";
/* clang-format on */

static int
by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of the folder that hold a run, sorted. */
static json_t *
list_runs(const char *dir)
{
	const char *names[RUNS_MAX];
	json_t *all = json_array(), *kept = json_array(), *name;
	struct dirent *d;
	size_t n = 0, i;
	DIR *folder = opendir(dir);

	while (folder && n < RUNS_MAX && (d = readdir(folder))) {
		char *run = files_join(dir, d->d_name);
		char *file = files_join(run, "run.json");

		if (d->d_name[0] != '.' && files_exists(file) &&
		    json_array_append_new(kept, json_string(d->d_name)) == 0)
			n++;
		free(file);
		free(run);
	}
	if (folder)
		(void)closedir(folder);
	json_array_foreach(kept, i, name) {
		names[i] = json_string_value(name);
	}
	qsort(names, n, sizeof *names, by_name);
	for (i = 0; i < n; i++)
		json_array_append_new(all, json_string(names[i]));
	json_decref(kept);
	return json_pack("{s:o}", "runs", all);
}

static json_t *
op_json(const struct op_standing *s, bool holds)
{
	const struct op_standing_try *last = op_standing_last(s);
	const char *state = holds ? ledger_state_name(s->state) : "not proved";

	return json_pack("{s:s, s:s, s:i, s:s, s:s, s:o}", "op", s->op, "state",
	    state, "iterations", (int)s->iterations, "route",
	    last ? last->route : "", "class", last ? last->class : "",
	    "failing", last ? json_incref(last->failing) : json_array());
}

static json_t *
run_json(const struct run_report *r, const char *name)
{
	json_t *ops = json_array(), *problems = json_array(), *p;
	bool holds = json_array_size(r->problems) == 0;
	size_t i;

	for (i = 0; i < r->standings.n; i++)
		json_array_append_new(ops,
		    op_json(&r->standings.items[i], holds));
	json_array_foreach(r->problems, i, p) {
		char *clean = claim_clean(json_string_value(p), PROBLEM_CHARS);

		json_array_append_new(problems, json_string(clean));
		free(clean);
	}
	return json_pack("{s:s, s:b, s:o, s:I, s:s, s:o}", "run", name, "holds",
	    holds, "problems", problems, "records",
	    (json_int_t)ledger_count(r->ledger), "fingerprint", r->fingerprint,
	    "ops", ops);
}

json_t *
tool_get_ledger(const struct mcp_tool_ground *g, const struct mcp_tool_args *a,
    json_t *json, struct why *why)
{
	struct run_report *r = NULL;
	json_t *o = NULL;
	char *dir;

	(void)json;
	if (!g->runs) {
		(void)why_set(why, ERR_DENIED,
		    "no folder of runs was given to this server (--runs DIR)");
		return NULL;
	}
	if (!a->run)
		return list_runs(g->runs);
	/* One name in that folder: no way up, down or out of it. */
	if (!*a->run || *a->run == '.' || strchr(a->run, '/') ||
	    strlen(a->run) > RUN_NAME_MAX) {
		(void)why_set(why, ERR_SYNTAX,
		    "run: expected a name that get_ledger lists");
		return NULL;
	}
	dir = files_join(g->runs, a->run);
	if (run_report_load(dir, RUN_REPORT_CHECK, &r, why) == ERR_OK) {
		run_report_check_all_files(r);
		o = run_json(r, a->run);
	} else {
		(void)why_set(why, ERR_NOTFOUND,
		    "run: no run of that name can be read");
	}
	run_report_free(r);
	free(dir);
	return o;
}
