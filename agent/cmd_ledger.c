/* kernelforge ledger: proves a ledger, or shows it. */
#include "agent/answer.h"
#include "agent/claim.h"
#include "agent/command.h"
#include "agent/ledger.h"
#include "agent/term.h"
#include "base/files.h"
#include "base/log.h"
#include <stdlib.h>
#include <string.h>

static const struct opt_command opts = {
	.name = "kernelforge ledger",
	.usage = "check|show FILE",
	.about = "proves that nothing was removed, reordered or edited; or "
	         "shows the lines",
	.args_min = 2,
	.args_max = 2,
};

static void
check(const struct ledger *l, const char *path)
{
	size_t n = ledger_count(l);
	const char *head = n
	    ? json_string_value(
	          json_object_get(ledger_at(l, n - 1)->line, "hash"))
	    : "none";

	printf("%s: %zu lines, the chain holds, every transition is legal, "
	       "last hash %s\n",
	    path, n, head);
}

static void
add_clean(struct term_table *t, const char *text)
{
	char *clean = claim_field(text, 60);

	term_table_add(t, TERM_PLAIN, clean);
	free(clean);
}

static enum term_colour
colour_of(enum ledger_state s)
{
	if (ledger_is_verified(s))
		return TERM_GOOD;
	return ledger_has_failed(s) ? TERM_BAD : TERM_PLAIN;
}

static void
show(const struct ledger *l, const char *path)
{
	static const char *const head[] = { "Line", "Operator", "Try", "State",
		"Route", "Class" };
	struct term_table t;
	char *answer;

	(void)path;
	term_table_init(&t, sizeof head / sizeof *head);
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		term_table_add(&t, TERM_BOLD, head[i]);
	for (size_t i = 0; i < ledger_count(l); i++) {
		const struct ledger_entry *e = ledger_at(l, i);

		term_table_addf(&t, TERM_PLAIN, "%zu", i + 1);
		add_clean(&t, e->op);
		term_table_addf(&t, TERM_PLAIN, "%u", e->iteration);
		term_table_add(&t, colour_of(e->state),
		    ledger_state_label(e->state));
		add_clean(&t, e->route);
		add_clean(&t,
		    json_string_value(json_object_get(e->line, "class")));
	}
	term_table_print(&t, stdout);
	term_table_done(&t);
	answer = answer_render(l);
	printf("\n%s", answer);
	free(answer);
}

static const struct {
	const char *word;
	void (*run)(const struct ledger *l, const char *path);
} verbs[] = {
	{ "check", check },
	{ "show", show },
};

static int
run(int argc, char **argv)
{
	const char *args[2];
	struct ledger *l = NULL;
	struct why why;
	size_t nargs, i = 0;
	int code;
	enum err e;

	if (!command_parse(&cmd_ledger, argc, argv, NULL, args, &nargs, &code))
		return code;
	while (i < sizeof verbs / sizeof *verbs &&
	    strcmp(verbs[i].word, args[0]) != 0)
		i++;
	if (i == sizeof verbs / sizeof *verbs) {
		log_error("ledger", "found \"%.60s\", expected check or show",
		    args[0]);
		return EXIT_USAGE;
	}
	e = files_exists(args[1])
	    ? ledger_read(args[1], &l, &why)
	    : why_set(&why, ERR_NOTFOUND, "%s: no such file", args[1]);
	if (e != ERR_OK) {
		log_error("ledger", "%s", why.text);
		return e == ERR_NOTFOUND ? EXIT_USAGE : EXIT_JUDGED;
	}
	verbs[i].run(l, args[1]);
	ledger_free(l);
	return EXIT_DONE;
}

const struct command cmd_ledger = { "ledger", &opts, run };
