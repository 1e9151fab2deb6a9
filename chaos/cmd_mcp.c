/*
 * kf-chaos mcp -- COMMAND: faults between an MCP client and a server that
 * speak over a pipe (chaos/mcp/bridge.h).  What has no counterpart there (a
 * status, an event stream) is refused at the start.
 */
#include "chaos/commands.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "chaos/mcp/bridge.h"
#include "chaos/mcp/pipe_relay.h"
#include "chaos/rules/rules_that_did_not_fire.h"
#include "chaos/rules/unmet_goals.h"

#define WORDS_MAX 256
#define PROXY     "mcp"

struct options {
	const char *scenario, *log, *seed, *connect;
	struct opt_list presets;
	bool verbose;
};

/* clang-format off */
static const struct opt rows[] = {
	COMMAND_ROW("scenario", OPT_STRING, scenario, 0, 0, "FILE", "the rules; those without a proxy, or for one named " PROXY),
	COMMAND_ROW("preset",   OPT_LIST,   presets,  0, 0, "NAME", "adds the rules of a preset; may be repeated"),
	COMMAND_ROW("log",      OPT_STRING, log,      0, 0, "FILE", "appends a line for each fault; default none"),
	COMMAND_ROW("seed",     OPT_STRING, seed,     0, 0, "S",    "replaces the scenario's seed"),
	COMMAND_ROW("connect",  OPT_STRING, connect,  0, 0, "HOST:PORT", "no COMMAND: stands in for a server, and posts what the client says to the proxy there (an audit sets it up, see KF_CHAOS_MCP_COMMAND)"),
	COMMAND_ROW("verbose",  OPT_FLAG,   verbose,  0, 0, NULL,   "logs every change of a state on standard error"),
};
/* clang-format on */

static const struct opt_command command = {
	.name = "kf-chaos mcp",
	.usage = "-- COMMAND [ARGS]",
	.about = "Runs COMMAND, an MCP server over standard input and output, "
	         "and stands in the middle of the pipe: put it before the "
	         "command in a client's configuration.  The run hash is "
	         "printed to standard error at the end.",
	.rows = rows,
	.nrows = COUNT(rows),
	.args_max = WORDS_MAX,
	.examples = "kf-chaos mcp --scenario tools.json --log chaos.jsonl -- "
	            "npx my-server\t"
	            "as a client's configuration would have it\n",
};

struct mcp {
	struct options o;
	struct scenario *scenario; /* owned, as all below */
	struct events *events;
	struct engine *engine;
	struct loop *loop;
	struct bridge *bridge;
	struct proxy_conf *proxy; /* borrowed from the scenario */
};

static void
on_stop(void *arg)
{
	struct mcp *m = arg;

	loop_quit(m->loop);
}

static const struct loop_ops loop_ops = { .on_stop = on_stop };

/* ---- from start to end */

static bool
meets(const struct rule *r)
{
	return !r->proxy || strcmp(r->proxy, PROXY) == 0;
}

static enum err
check_faults(const struct scenario *s, struct why *why)
{
	for (size_t i = 0; i < s->nrules; i++)
		for (size_t k = 0; k < s->rules[i].nfaults; k++) {
			const struct fault_type *type =
			    s->rules[i].faults[k].type;

			if (meets(&s->rules[i]) && !type->is_piped)
				return why_set(why, ERR_SYNTAX,
				    "rule %s: %s means nothing over a pipe "
				    "(see docs/mcp-faults.md)",
				    s->rules[i].id, type->name);
		}
	return ERR_OK;
}

/* The number of a call, and what hangs on it, is not what it asks. */
static enum err
name_requests(struct scenario *s, struct why *why)
{
	json_t *v;
	enum err e;

	if (json_object_get(s->doc, "identity"))
		return ERR_OK;
	v = json_pack("{s[s] s[s s]}", "key", "body-sha256", "ignore", "/id",
	    "/params/_meta");
	json_object_set_new(s->doc, "identity", v);
	e = identity_read(v, "/identity", &s->identity, why);
	return e;
}

/* The scenario's proxy of that name, wherever it would listen, or one more. */
static enum err
find_proxy(struct scenario *s, struct proxy_conf **ret, struct why *why)
{
	struct proxy_conf *p = s->proxies;

	while (p < s->proxies + s->nproxies && strcmp(p->name, PROXY) != 0)
		p++;
	if (p == s->proxies + SCENARIO_PROXIES_MAX)
		return why_set(why, ERR_TOOBIG,
		    "no room for a proxy beside %d others",
		    SCENARIO_PROXIES_MAX);
	if (p == s->proxies + s->nproxies)
		s->nproxies++;
	p->name = PROXY;
	p->mode = PROXY_STANDIN;
	p->listen = (struct addr){ .host = "127.0.0.1" };
	*ret = p;
	return ERR_OK;
}

static enum err
load(struct mcp *m, struct why *why)
{
	enum err e;

	if (!m->o.scenario && m->o.presets.n == 0)
		return why_set(why, ERR_SYNTAX,
		    "expected --scenario FILE or --preset NAME");
	e = scenario_read_with(m->o.scenario, m->o.presets.items,
	    m->o.presets.n, &m->scenario, why);
	if (e == ERR_OK)
		e = check_faults(m->scenario, why);
	if (e == ERR_OK)
		e = find_proxy(m->scenario, &m->proxy, why);
	return e == ERR_OK ? name_requests(m->scenario, why) : e;
}

static enum err
open_all(struct mcp *m, char *const *words, struct why *why)
{
	enum err e = events_open(m->o.log, &m->events, why);

	if (e != ERR_OK)
		return e;
	m->loop = loop_new_precise(&loop_ops, m);
	m->engine = engine_new(m->scenario, m->o.seed, m->events,
	    loop_now_us(m->loop) / 1000);
	return bridge_open(&(struct bridge_conf){ .loop = m->loop,
	                       .engine = m->engine,
	                       .scenario = m->scenario,
	                       .proxy = m->proxy,
	                       .command = words },
	    &m->bridge, why);
}

static void
warn(const char *line, void *arg)
{
	(void)arg;
	log_warn("rules", "%s", line);
}

/* The run hash goes where the protocol is not. */
static int
finish(struct mcp *m)
{
	char hash[DIGEST_HEX], end[BRIDGE_END_MAX];
	bool is_good = bridge_close(m->bridge, end);

	if (*end)
		log_error(PROXY, "the server ended: %s", end);
	events_end(m->events);
	events_run_hash(m->events, hash);
	fprintf(stderr, "run_hash %s\n", hash);
	idlerules_tell(m->engine, m->scenario, warn, NULL);
	if (!is_good)
		return EXIT_USAGE;
	if (unmet_goals(m->engine, m->scenario, warn, NULL) > 0 || *end)
		return EXIT_JUDGED;
	return events_are_broken(m->events) ? EXIT_ENV : EXIT_DONE;
}

/* The other end of an audit's pipe: rules, log and hash are its own. */
static enum err
relay(struct mcp *m, int *ret_code, struct why *why)
{
	struct addr to;
	struct pipe_relay *r;
	enum err e = addr_parse(m->o.connect, &to, why);

	if (e != ERR_OK)
		return why_prefix(why, e, "--connect");
	if (m->o.scenario || m->o.presets.n || m->o.log)
		return why_set(why, ERR_SYNTAX,
		    "--connect has the rules and the log of where it "
		    "connects to");
	m->loop = loop_new_precise(&loop_ops, m);
	r = pipe_relay_new(m->loop, &to);
	loop_run(m->loop);
	*ret_code = pipe_relay_free(r) ? EXIT_DONE : EXIT_JUDGED;
	return ERR_OK;
}

static enum err
bridge(struct mcp *m, char *const *words, bool has_words, int *ret_code,
    struct why *why)
{
	enum err e = has_words ? load(m, why)
	                       : why_set(why, ERR_SYNTAX,
	                             "expected -- COMMAND, the server to run");

	if (e == ERR_OK)
		e = open_all(m, words, why);
	if (e == ERR_OK) {
		loop_run(m->loop);
		*ret_code = finish(m);
	}
	return e;
}

static int
run_mcp(int argc, char **argv)
{
	struct mcp m = { .loop = NULL };
	const char *words[WORDS_MAX];
	size_t n = 0;
	struct why why = { "" };
	enum err e;
	int code;

	if (!command_parse(&cmd_mcp, argc, argv, &m.o, words, &n, &code))
		return code;
	if (m.o.verbose)
		log_init("kf-chaos", LOG_LEVEL_DEBUG);
	/* The end of argv itself, because that has the NULL that exec wants. */
	e = m.o.connect && n == 0
	    ? relay(&m, &code, &why)
	    : bridge(&m, argv + argc - n, n > 0, &code, &why);
	if (e != ERR_OK) {
		log_error(PROXY, "%s", why.text);
		code = e == ERR_ENV || e == ERR_IO ? EXIT_ENV : EXIT_USAGE;
	}
	engine_free(m.engine);
	events_close(m.events);
	if (m.loop)
		loop_free(m.loop);
	scenario_free(m.scenario);
	return code;
}

const struct command cmd_mcp = { "mcp", &command, run_mcp };
