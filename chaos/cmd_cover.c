/*
 * kf-chaos cover SCENARIO LOG...: which rules and faults of a scenario did
 * these runs reach?  A green run that never reached its faults is red.
 */
#include "chaos/commands.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chained_journal.h"
#include "base/columns.h"
#include "base/mem.h"
#include "chaos/rules/scenario.h"

#define LOGS_MAX      64
#define REASON_MAX    256
#define REASON_COLUMN 61

static const struct opt_command command = {
	.name = "kf-chaos cover",
	.usage = "SCENARIO LOG...",
	.about = "Prints how often each fault of each rule fired and was "
	         "bypassed, and why; exit 1 when a fault of the scenario "
	         "never fired.",
	.args_min = 2,
	.args_max = LOGS_MAX,
	.examples = "kf-chaos cover storm.json chaos.jsonl\t"
	            "which faults a run reached\n",
};

struct cell { /* one fault of one rule */
	size_t fired, bypassed;
	char reasons[REASON_MAX]; /* of its bypasses, each once */
};

struct cover {
	const struct scenario *s;
	struct cell *cells; /* owned, RULE_FAULTS_MAX a rule */
	size_t strange;     /* lines of rules that the scenario lacks */
};

static struct cell *
cell_of(struct cover *c, const char *rule, const char *fault)
{
	for (size_t i = 0; i < c->s->nrules; i++)
		for (size_t k = 0; k < c->s->rules[i].nfaults; k++)
			if (strcmp(c->s->rules[i].id, rule) == 0 &&
			    strcmp(c->s->rules[i].faults[k].type->name,
			        fault) == 0)
				return &c->cells[i * RULE_FAULTS_MAX + k];
	return NULL;
}

static void
add_reason(struct cell *cell, const char *reason)
{
	size_t n = strlen(cell->reasons);

	if (!strstr(cell->reasons, reason))
		snprintf(cell->reasons + n, sizeof cell->reasons - n, "%s%s",
		    n ? "; " : "", reason);
}

static void
count(json_t *line, void *arg)
{
	struct cover *c = arg;
	const char *rule = json_string_value(json_object_get(line, "rule"));
	const char *fault = json_string_value(json_object_get(line, "fault"));
	const char *result = json_string_value(json_object_get(line, "result"));
	const char *reason = json_string_value(json_object_get(line, "reason"));
	struct cell *cell = rule && fault ? cell_of(c, rule, fault) : NULL;

	if (!cell || !result)
		c->strange++;
	else if (strcmp(result, "fired") == 0)
		cell->fired++;
	else {
		cell->bypassed++;
		if (reason)
			add_reason(cell, reason);
	}
}

static void __attribute__((format(printf, 2, 3)))
put_row(const char *reason, const char *fmt, ...)
{
	va_list ap;
	char *head;

	va_start(ap, fmt);
	head = xvasprintf(fmt, ap);
	va_end(ap);
	columns_put_row(head, REASON_COLUMN, reason, stdout);
	free(head);
}

static int
print(const struct cover *c)
{
	size_t reached = 0, all = 0;

	put_row("reason", "%-24s %-16s %8s %8s", "rule", "fault", "fired",
	    "bypassed");
	for (size_t i = 0; i < c->s->nrules; i++)
		for (size_t k = 0; k < c->s->rules[i].nfaults; k++) {
			const struct rule *r = &c->s->rules[i];
			const struct cell *cell =
			    &c->cells[i * RULE_FAULTS_MAX + k];

			all++;
			reached += cell->fired > 0;
			put_row(cell->fired || cell->bypassed ? cell->reasons
			                                      : "never chosen",
			    "%-24s %-16s %8zu %8zu", r->id,
			    r->faults[k].type->name, cell->fired,
			    cell->bypassed);
		}
	printf("%zu of %zu faults reached\n", reached, all);
	return reached == all ? EXIT_DONE : EXIT_JUDGED;
}

static enum err
read_logs(struct cover *c, const char **logs, size_t n, struct why *why)
{
	for (size_t i = 0; i < n; i++) {
		enum err e = journal_check(logs[i], count, c, NULL, why);

		if (e != ERR_OK)
			return e;
		/* A log of another scenario would look like one whose faults
		 * were never reached. */
		if (c->strange)
			return why_set(why, ERR_SYNTAX,
			    "%s: %zu lines of rules or faults that the "
			    "scenario does not have",
			    logs[i], c->strange);
	}
	return ERR_OK;
}

static int
run_cover(int argc, char **argv)
{
	struct scenario *s = NULL;
	struct cover c = { 0 };
	const char *args[LOGS_MAX];
	size_t nargs = 0;
	struct why why = { "" };
	enum err e;
	int code;

	if (!command_parse(&cmd_cover, argc, argv, NULL, args, &nargs, &code))
		return code;
	e = scenario_read(args[0], &s, &why);
	if (e == ERR_OK) {
		c.s = s;
		c.cells = xcalloc(s->nrules * RULE_FAULTS_MAX, sizeof *c.cells);
		e = read_logs(&c, args + 1, nargs - 1, &why);
	}
	code = e == ERR_OK ? print(&c) : command_end(&cmd_cover, e, &why);
	free(c.cells);
	scenario_free(s);
	return code;
}

const struct command cmd_cover = { "cover", &command, run_cover };
