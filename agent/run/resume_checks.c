/*
 * A record is written behind the line that begins its attempt and before the
 * line that speaks of it.  So a record may know one line more than the ledger,
 * for a kill falls between the two; one that knows of a whole attempt, or of a
 * verdict on an answer that no line tells of, outlived lines that are gone.
 */
#include "agent/run/resume_checks.h"

#include "agent/run/record_hash.h"
#include "base/files.h"
#include "base/mem.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* ---- records */

/* "12.json", "12.cl": 12.  0: a baseline's, or no name of ours. */
static unsigned
try_of(const char *name, bool *ret_is_kernel)
{
	char *end;
	unsigned long n = strtoul(name, &end, 10);

	*ret_is_kernel = strcmp(end, ".cl") == 0;
	if (name[0] < '1' || name[0] > '9' || n > LEDGER_ITERATION_MAX ||
	    (!*ret_is_kernel && strcmp(end, ".json") != 0))
		return 0;
	return (unsigned)n;
}

static bool
has(json_t *record, const char *key)
{
	return json_object_get(record, key) != NULL;
}

/* Does the try's file know of a line that the ledger has not? */
static bool
knows_more(const struct run *run, const char *op, unsigned try, bool is_kernel)
{
	const struct ledger *l = run->ledger;
	bool has_answer = ledger_find(l, op, try, LEDGER_GENERATED) != NULL;
	bool is_claimed =
	    ledger_find(l, op, try, LEDGER_VERIFIED_CORRECT) != NULL;
	char name[16];
	json_t *record;
	bool knows;

	if (try > ledger_iteration(l, op))
		return true;
	if (is_kernel)
		return !has_answer;
	(void)snprintf(name, sizeof name, "%u", try);
	record = rundir_read_record(rundir_path(run->dir), op, name);
	knows =
	    (has(record, "answer") && has(record, "feedback") && !has_answer) ||
	    (has(record, "judged") && !has_answer) ||
	    (has(record, "audit") && !is_claimed);
	json_decref(record);
	return knows;
}

/* "kernels/OP/FILE", owned; NULL: none. */
static char *
first_unknown(const struct run *run, const char *op)
{
	char *sub = xasprintf("kernels/%s", op);
	char *path = rundir_file(run->dir, sub), *found = NULL;
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && !found && (e = readdir(d)) != NULL) {
		bool is_kernel;
		unsigned try = try_of(e->d_name, &is_kernel);

		if (try && knows_more(run, op, try, is_kernel))
			found = files_join(sub, e->d_name);
	}
	if (d)
		(void)closedir(d);
	free(path);
	free(sub);
	return found;
}

static enum err
check_lines(const struct run *run, const char *out, struct why *why)
{
	const struct run_scenario *s = run->scenario;
	char *found = NULL;
	enum err e = ERR_OK;

	for (size_t i = 0; i < s->nops && !found; i++)
		found = first_unknown(run, s->ops[i]);
	if (found)
		e = why_set(why, ERR_STATE,
		    "%s cannot be gone on with: %s tells of a try whose lines "
		    "ledger.jsonl has lost",
		    out, found);
	free(found);
	return e;
}

enum err
resume_check_records(const struct run *run, const char *out, struct why *why)
{
	char *forged = record_first_forged(out, run->ledger);
	enum err e = forged ? why_set(why, ERR_STATE,
	                          "%s is not what the ledger recorded: it was "
	                          "changed or removed",
	                          forged)
	                    : ERR_OK;

	free(forged);
	return e == ERR_OK ? check_lines(run, out, why) : e;
}

/* ---- run.json */

const char *
resume_device(json_t *run)
{
	const char *was = json_string_value(json_object_get(run, "device"));

	return was && *was ? was : NULL;
}

enum err
resume_keep_device(json_t *run, const char *device, struct why *why)
{
	const char *was = resume_device(run);

	if (was && strcmp(was, device) != 0)
		return why_set(why, ERR_SYNTAX,
		    "the run was begun on the device %s, and this is %s: a "
		    "run is judged on one device",
		    was, device);
	if (!was)
		json_object_set_new(run, "device", json_string(device));
	return ERR_OK;
}

bool
resume_is_timed(json_t *run)
{
	return json_is_true(
	    json_object_get(json_object_get(run, "arguments"), "bench"));
}
