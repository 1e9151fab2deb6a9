/*
 * kf-chaos audit -- COMMAND: how does this client behave when things go wrong?
 *
 * Only the line, the list and the exit code: the catalogue, the runs and the
 * rules of conduct are trials/audit.h.
 */
#include "chaos/commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/mem.h"
#include "chaos/admin/admin_door.h"
#include "chaos/trials/audit.h"
#include "chaos/trials/client_command.h"

#define ID_WIDTH 51

struct options {
	const char *upstream, *answers, *seed, *junit, *json, *out, *state,
	    *mcp, *warm_up, *room;
	struct opt_list only, cases, checks;
	int64_t deadline_s, timeout_s, jobs, tool_calls, turn, turns_max;
	bool list, resume;
};

/* clang-format off */
static const struct opt rows[] = {
	COMMAND_ROW("upstream", OPT_STRING, upstream,   0, 0,    "URL",    "where good answers come from; default a stand-in that needs no key"),
	COMMAND_ROW("answers",  OPT_STRING, answers,    0, 0,    "DIR",    "a folder of scripted answers instead"),
	COMMAND_ROW("only",     OPT_LIST,   only,       0, 0,    "WORD",   "only cases whose name or fault holds WORD; may be repeated"),
	COMMAND_ROW("case",     OPT_LIST,   cases,      0, 0,    "ID",     "only the case of that id (--list says them); may be repeated"),
	COMMAND_ROW("check",    OPT_LIST,   checks,     0, 0,    "HOW",    "how much COMMAND looks at by itself, told to it in KF_CHAOS_CHECK and said by each row: bare, text (that it is whole) or strict (the finish reason too); may be repeated, each case is run for each"),
	COMMAND_ROW("warm-up",  OPT_STRING, warm_up,    0, 0,    "CMD",    "a shell command that is run once before everything, without a fault, and must succeed: whatever makes COMMAND start sooner"),
	COMMAND_ROW("timeout",  OPT_INT,    timeout_s,  1, 3600, "S",      "silent servers are tried a second time with KF_CHAOS_TIMEOUT_MS set to S seconds, which COMMAND gives its client as a time-out"),
	COMMAND_ROW("tool-calls", OPT_INT,  tool_calls, 1, 1000, "N",      "tool calls that the stand-in makes before it answers in words; default 1"),
	COMMAND_ROW("turn",     OPT_INT,    turn,       1, 1000, "N",      "strikes only the N-th turn of a conversation; default every one"),
	COMMAND_ROW("turns-max", OPT_INT,   turns_max,  1, 4000, "N",      "tool calls that the model may be let make beyond those of a clean run; default 50"),
	COMMAND_ROW("mcp",      OPT_STRING, mcp,        0, 0,    "HOW",    "COMMAND is judged as an MCP client: http (of KF_CHAOS_MCP_URL) or stdio (it starts KF_CHAOS_MCP_COMMAND)"),
	COMMAND_ROW("state",    OPT_STRING, state,      0, 0,    "CMD",    "a shell command that looks at what each run has left: it fails if that is wrong, and prints a line for each effect"),
	COMMAND_ROW("resume",   OPT_FLAG,   resume,     0, 0,    NULL,     "COMMAND can be killed and begun again (KF_CHAOS_RESUMED is set then): that is tried as each request comes"),
	COMMAND_ROW("deadline", OPT_INT,    deadline_s, 1, 3600, "S",      "seconds a run may take from its first request on, beyond four times a clean one, before it counts as hung; default 20"),
	COMMAND_ROW("jobs",     OPT_INT,    jobs,       1, 64,   "N",      "runs at once; default 1"),
	COMMAND_ROW("room",     OPT_STRING, room,       0, 0,    "HOST:PORT", "the admin API of a running kf-chaos, whose control room shows each run as it is judged"),
	COMMAND_ROW("seed",     OPT_STRING, seed,       0, 0,    "S",      "of the decisions; default 1"),
	COMMAND_ROW("out",      OPT_STRING, out,        0, 0,    "DIR",    "keeps log and output of every run there"),
	COMMAND_ROW("junit",    OPT_STRING, junit,      0, 0,    "FILE",   "also writes the table as JUnit XML"),
	COMMAND_ROW("json",     OPT_STRING, json,       0, 0,    "FILE",   "also writes it as JSON, with every request"),
	COMMAND_ROW("list",     OPT_FLAG,   list,       0, 0,    NULL,     "prints the catalogue and what correct conduct is"),
};
/* clang-format on */

static const struct opt_command command = {
	.name = "kf-chaos audit",
	.usage = "-- COMMAND [ARGS]",
	.about = "Runs COMMAND once without a fault and then once for each "
	         "fault of the catalogue, and judges how it behaves.  COMMAND "
	         "gets the proxy's address in OPENAI_BASE_URL and "
	         "KF_CHAOS_URL; it must do its work, and fail with a status "
	         "other than 0 when it cannot.  Exit 1 if a rule of conduct "
	         "is broken.",
	.rows = rows,
	.nrows = COUNT(rows),
	.args_max = CLIENT_COMMAND_WORDS_MAX,
	.examples = "kf-chaos audit -- python3 agent.py\t"
	            "every fault, one run each\n"
	            "kf-chaos audit --only 503 --jobs 4 -- node agent.mjs\t"
	            "some of them, four at a time\n"
	            "kf-chaos audit --list\t"
	            "what there is, and what correct conduct is\n",
};

static int
print_list(void)
{
	columns_put_row("id", ID_WIDTH, "a client that behaves", stdout);
	for (size_t i = 0; i < audit_case_count(); i++) {
		const struct audit_case *k = audit_case_at(i);
		char id[AUDIT_ID_MAX];

		audit_case_id(k, id);
		columns_put_row(id, ID_WIDTH, k->right, stdout);
	}
	return EXIT_DONE;
}

static enum err
check_cases(const struct options *o, struct why *why)
{
	const struct opt_list *ids = &o->cases;

	for (size_t i = 0; i < ids->n; i++) {
		char id[AUDIT_ID_MAX];
		bool is_known = o->resume && audit_crash_of(ids->items[i]);

		for (size_t k = 0; k < audit_case_count() && !is_known; k++) {
			audit_case_id(audit_case_at(k), id);
			is_known = strcmp(id, ids->items[i]) == 0;
		}
		if (!is_known)
			return why_set(why, ERR_SYNTAX,
			    "--case: no case \"%.60s\" (see --list)",
			    ids->items[i]);
	}
	return ERR_OK;
}

static bool
holds_for_any(const struct options *o, const char *word)
{
	for (size_t i = 0; i < audit_case_count(); i++)
		if (audit_case_holds(audit_case_at(i), word))
			return true;
	for (uint64_t i = 1; o->resume && i <= AUDIT_CRASHES_MAX; i++)
		if (audit_crash_holds(i, word))
			return true;
	return false;
}

/* A word that holds for nothing would make a green run of no case. */
static enum err
check_words(const struct options *o, struct why *why)
{
	for (size_t i = 0; i < o->only.n; i++)
		if (!holds_for_any(o, o->only.items[i]))
			return why_set(why, ERR_SYNTAX,
			    "--only: no case holds \"%.60s\" (see --list)",
			    o->only.items[i]);
	for (size_t i = 0; i < o->checks.n; i++) {
		size_t k = 0;

		while (audit_check_names[k] &&
		    strcmp(audit_check_names[k], o->checks.items[i]) != 0)
			k++;
		if (!audit_check_names[k])
			return why_set(why, ERR_SYNTAX,
			    "--check: found \"%.20s\", expected bare, text or "
			    "strict",
			    o->checks.items[i]);
	}
	return ERR_OK;
}

/* AUDIT_NMCPS: it is none. */
static enum audit_mcp
mcp_of(const char *name)
{
	enum audit_mcp m = AUDIT_NO_MCP;

	while (name && m < AUDIT_NMCPS && strcmp(name, audit_mcp_names[m]) != 0)
		m++;
	return m;
}

static enum err
check_source(const struct options *o, struct why *why)
{
	if (mcp_of(o->mcp) == AUDIT_NMCPS ||
	    (o->mcp && mcp_of(o->mcp) == AUDIT_NO_MCP))
		return why_set(why, ERR_SYNTAX,
		    "--mcp: found \"%.20s\", expected http or stdio", o->mcp);
	if (o->upstream && o->answers)
		return why_set(why, ERR_SYNTAX,
		    "--upstream and --answers exclude each other");
	if (o->tool_calls && (o->upstream || o->answers))
		return why_set(why, ERR_SYNTAX,
		    "--tool-calls is for the stand-in, which --upstream and "
		    "--answers replace");
	return ERR_OK;
}

static enum err
report(const struct options *o, const struct audit *a, struct why *why)
{
	enum err e = ERR_OK;

	audit_print(a, stdout);
	if (o->junit)
		e = audit_write_junit(a, o->junit, why);
	if (e == ERR_OK && o->json)
		e = audit_write_json(a, o->json, why);
	return e;
}

static int
code_of(const struct audit *a)
{
	if (a->interrupted_by)
		return CLIENT_TRIAL_INTERRUPTED + a->interrupted_by;
	return a->counts[AUDIT_BROKEN] ? EXIT_JUDGED : EXIT_DONE;
}

static enum err
audit(const struct options *o, const struct client_command *s, int *ret_code,
    struct why *why)
{
	struct audit a;
	struct addr room;
	char *token = getenv(DOOR_TOKEN_NAME);
	enum err e = o->room ? addr_parse(o->room, &room, why) : ERR_OK;

	if (e != ERR_OK)
		return why_prefix(why, e, "--room");
	/* For us, and not for what is tried. */
	token = token ? xstrdup(token) : NULL;
	unsetenv(DOOR_TOKEN_NAME);
	e = audit_run(&(struct audit_conf){ .command = s->command,
	                  .upstream = o->upstream,
	                  .answers = o->answers,
	                  .seed = o->seed,
	                  .only = &o->only,
	                  .cases = &o->cases,
	                  .timeout_ms = (uint32_t)o->timeout_s * 1000,
	                  .checks = &o->checks,
	                  .warm_up = o->warm_up,
	                  .state = o->state,
	                  .tool_calls = (size_t)o->tool_calls,
	                  .turn = o->turn,
	                  .turns_max = (size_t)o->turns_max,
	                  .mcp = mcp_of(o->mcp),
	                  .resumes = o->resume,
	                  .room = o->room ? &room : NULL,
	                  .token = token,
	                  .folder = s->folder,
	                  .deadline_ms = (uint32_t)o->deadline_s * 1000,
	                  .jobs = (size_t)o->jobs },
	    &a, why);
	if (e == ERR_OK) {
		e = report(o, &a, why);
		*ret_code = code_of(&a);
		audit_done(&a);
	}
	free(token);
	return e;
}

static int
run_audit(int argc, char **argv)
{
	struct options o = { .seed = "1",
		.deadline_s = AUDIT_DEADLINE_MS / 1000,
		.jobs = 1,
		.turns_max = AUDIT_TURNS_MAX };
	const char *words[CLIENT_COMMAND_WORDS_MAX];
	struct client_command s;
	size_t n = 0;
	struct why why = { "" };
	enum err e;
	int code;

	if (!command_parse(&cmd_audit, argc, argv, &o, words, &n, &code))
		return code;
	if (o.list)
		return print_list();
	e = check_cases(&o, &why);
	if (e == ERR_OK)
		e = check_words(&o, &why);
	if (e == ERR_OK)
		e = check_source(&o, &why);
	if (e == ERR_OK)
		e = client_command_open(&s, argc, argv, o.out, &why);
	if (e == ERR_OK) {
		e = audit(&o, &s, &code, &why);
		client_command_close(&s);
	}
	return e == ERR_OK ? code : command_end(&cmd_audit, e, &why);
}

const struct command cmd_audit = { "audit", &command, run_audit };
