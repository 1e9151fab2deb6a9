/*
 * The proxy itself: reads the scenario, opens log and listeners, says that
 * it is ready, runs until it is told to stop, drains, and says what happened.
 */
#include "chaos/commands.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/end_with_parent.h"
#include "base/files.h"
#include "base/log.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/opts.h"
#include "base/tls.h"
#include "chaos/admin/admin.h"
#include "chaos/http/proxy.h"
#include "chaos/rules/rules_that_did_not_fire.h"
#include "chaos/rules/unmet_goals.h"
#include "chaos/trials/recording.h"

#define POOL_IDLE_MS  2000
#define COMMAND_BYTES ((size_t)64 * 1024)
#define DRAIN_POLL_US 10000L
#define DRAIN_MAX_MS  5000
#define READY_MAX     16384
#define LIST_BYTES    ((size_t)16 << 20)
#define DEFAULT_ADMIN "127.0.0.1:8474"

struct options {
	const char *scenario, *admin, *log, *seed, *populate, *ready_file;
	const char *tls_cert, *tls_key, *tls_ca, *upstream_ca;
	struct opt_list upstreams, presets, hosts;
	int64_t parent;
	bool strict, strict_compat, record, verbose;
};

#define ROW(name, type, field, value, help)                                    \
	{                                                                      \
		name, type, offsetof(struct options, field), 0, 0, value, help \
	}

/* clang-format off */
static const struct opt rows[] = {
	ROW("scenario",   OPT_STRING, scenario,   "FILE",      "the scenario to play; without one only the admin API is there"),
	ROW("admin",      OPT_STRING, admin,      "HOST:PORT", "where the admin API listens; default " DEFAULT_ADMIN),
	ROW("allow-host", OPT_LIST,   hosts,      "NAME",      "a name by which the admin API may be called beside numbers and localhost; * for any; may be repeated"),
	ROW("log",        OPT_STRING, log,        "FILE",      "appends a line for each fault; default none"),
	ROW("populate",   OPT_STRING, populate,   "FILE",      "makes the proxies of a JSON list, as POST /populate takes it"),
	ROW("preset",     OPT_LIST,   presets,    "NAME",      "adds the rules of a preset: realistic, brownout, stream_cuts, rate_limit_storm, liar; may be repeated"),
	ROW("record",     OPT_FLAG,   record,     NULL,        "keeps what upstreams answer beside the log, for kf-chaos shrink"),
	ROW("seed",       OPT_STRING, seed,       "S",         "replaces the scenario's seed"),
	ROW("strict",     OPT_FLAG,   strict,     NULL,        "a rule that can never fire is an error"),
	ROW("strict-compat", OPT_FLAG, strict_compat, NULL,     "the Toxiproxy face has the original's defects too"),
	ROW("tls-ca",     OPT_STRING, tls_ca,     "FOLDER",    "HTTP proxies speak TLS, with a leaf of that CA for each name (kf-chaos ca makes one)"),
	ROW("tls-cert",   OPT_STRING, tls_cert,   "FILE",      "HTTP proxies speak TLS, with that certificate"),
	ROW("tls-key",    OPT_STRING, tls_key,    "FILE",      "the key of --tls-cert"),
	ROW("upstream",   OPT_LIST,   upstreams,  "NAME=ADDR", "the address of a bare upstream name: HOST:PORT, a URL or @READYFILE; may be repeated"),
	ROW("upstream-ca", OPT_STRING, upstream_ca, "FILE",     "certificates that upstreams may have, beside the system's"),
	ROW("verbose",    OPT_FLAG,   verbose,    NULL,        "logs every change of a state on standard error"),
	ROW("ready-file", OPT_STRING, ready_file, "FILE",      "also writes the ready line there"),
	{ "with-parent", OPT_INT, offsetof(struct options, parent), 1, INT32_MAX, "PID", "ends when process PID, which started this one, ends" },
};
/* clang-format on */

static const struct opt_command command = {
	.name = "kf-chaos",
	.usage = "[COMMAND ...]",
	.about = "A deterministic chaos proxy for HTTP, event streams and "
	         "language models.  Where " DOOR_TOKEN_NAME " is set, the "
	         "admin API and the control room want it.",
	.rows = rows,
	.nrows = COUNT(rows),
	.examples = "kf-chaos --scenario storm.json --log chaos.jsonl\t"
	            "play it, and write down what fired\n"
	            "kf-chaos\t"
	            "the admin API alone, as a Toxiproxy\n",
};

struct run {
	struct options o;
	struct scenario *scenario; /* owned, as all below */
	json_t *populate;          /* NULL: none is asked for */
	struct events *events;
	struct engine *engine;
	struct loop *loop;
	struct upstreams *upstreams;
	struct fetch_pool *pool;
	struct proxy *proxies[SCENARIO_PROXIES_MAX];
	size_t nproxies;
	struct httpface_env http;
	struct tcpset *tcp;
	struct traffic *traffic;
	struct room *room;
	struct admin *admin;
	struct event *drain_timer;
	uint64_t drain_until_ms;
};

/* ---- stopping */

static size_t
active(const struct run *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nproxies; i++)
		n += proxy_active(r->proxies[i]);
	return n;
}

static void
on_drain_timer(evutil_socket_t fd, short what, void *arg)
{
	struct run *r = arg;

	(void)fd;
	(void)what;
	if (active(r) > 0 && clock_mono_ms() < r->drain_until_ms)
		loop_arm(r->drain_timer, DRAIN_POLL_US);
	else
		loop_quit(r->loop);
}

static void
on_stop(void *arg)
{
	struct run *r = arg;

	for (size_t i = 0; i < r->nproxies; i++)
		proxy_stop_accepting(r->proxies[i]);
	r->drain_until_ms = clock_mono_ms() + DRAIN_MAX_MS;
	/* Asked every few milliseconds, once, at the end of a program's life: a
	 * callback in every exchange would be paid for by all. */
	r->drain_timer = evtimer_new(loop_base(r->loop), on_drain_timer, r);
	on_drain_timer(-1, 0, r);
}

static const struct loop_ops loop_ops = { .on_stop = on_stop };

/* ---- starting */

static void
warn(const char *text, void *arg)
{
	(void)arg;
	log_warn("scenario", "%s", text);
}

static enum err
record(struct run *r, struct why *why)
{
	char *folder;
	enum err e;

	if (!r->o.log)
		return why_set(why, ERR_SYNTAX,
		    "--record needs --log: the record is kept beside it");
	folder = recording_folder(r->o.log);
	e = recording_into(r->scenario, folder, why);
	free(folder);
	return e;
}

/* Before the loop takes over the signals: the file may be a pipe. */
static enum err
read_list(struct run *r, struct why *why)
{
	json_error_t error;
	char *text = NULL;
	size_t n = 0;
	enum err e;

	if (!r->o.populate)
		return ERR_OK;
	e = files_read(r->o.populate, LIST_BYTES, &text, &n, why);
	if (e != ERR_OK)
		return e;
	r->populate = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
	free(text);
	return r->populate ? ERR_OK
	                   : why_set(why, ERR_SYNTAX, "%s:%d: %s",
	                         r->o.populate, error.line, error.text);
}

static char *
copy_of(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

/* For the HTTP proxies that the scenario says nothing else of. */
static enum err
give_tls(struct run *r, struct why *why)
{
	const struct options *o = &r->o;
	size_t n = 0;

	if (!o->tls_ca && !o->tls_cert && !o->tls_key)
		return ERR_OK;
	if (o->tls_ca ? o->tls_cert || o->tls_key : !o->tls_cert || !o->tls_key)
		return why_set(why, ERR_SYNTAX,
		    "expected --tls-cert with --tls-key, or --tls-ca alone");
	for (size_t i = 0; i < r->scenario->nproxies; i++) {
		struct proxy_conf *p = &r->scenario->proxies[i];

		if (p->mode == PROXY_PASSTHROUGH)
			continue;
		n++;
		if (!p->tls.cert && !p->tls.ca)
			p->tls = (struct proxy_tls){ copy_of(o->tls_cert),
				copy_of(o->tls_key), copy_of(o->tls_ca) };
	}
	return n ? ERR_OK
	         : why_set(why, ERR_SYNTAX,
	               "--tls-%s: the scenario has no HTTP proxy",
	               o->tls_ca ? "ca" : "cert");
}

/* What cannot be used is said now, and not to the first request. */
static enum err
check_options(const struct options *o, struct why *why)
{
	char reason[TLS_REASON_MAX];
	struct tls_context *tls = NULL;

	/* '|' separates the parts of the text that a draw is made of. */
	if (o->seed && (!o->seed[0] || strchr(o->seed, '|')))
		return why_set(why, ERR_SYNTAX,
		    "--seed: expected some characters without |");
	for (size_t i = 0; i < o->hosts.n; i++)
		if (!o->hosts.items[i][0])
			return why_set(why, ERR_SYNTAX,
			    "--allow-host: expected a name, or *");
	if (o->upstream_ca && !(tls = tls_client_new(o->upstream_ca, reason)))
		return why_set(why, ERR_SYNTAX, "--upstream-ca: %s", reason);
	tls_context_free(tls);
	return ERR_OK;
}

static enum err
load(struct run *r, struct why *why)
{
	enum err e = scenario_read_with(r->o.scenario, r->o.presets.items,
	    r->o.presets.n, &r->scenario, why);

	if (e == ERR_OK)
		e = check_options(&r->o, why);
	if (e != ERR_OK)
		return e;
	if (scenario_warnings(r->scenario, warn, NULL) && r->o.strict)
		return why_set(why, ERR_SYNTAX,
		    "%s: --strict: a rule can never fire",
		    r->o.scenario ? r->o.scenario : "presets");
	e = give_tls(r, why);
	if (e == ERR_OK && r->o.record)
		e = record(r, why);
	if (e == ERR_OK)
		e = read_list(r, why);
	return e == ERR_OK ? upstreams_new(&r->o.upstreams, &r->upstreams, why)
	                   : e;
}

/* Bytes untouched: a TCP proxy, which the API sees as one of its own. */
static enum err
open_passthrough(struct run *r, const struct proxy_conf *conf, struct why *why)
{
	char listen[ADDR_TEXT_MAX];
	struct tcpproxy *p;
	enum err e = upstreams_check(r->upstreams, conf->upstream, why);

	addr_format(&conf->listen, listen);
	if (e == ERR_OK)
		e = tcpset_add(r->tcp,
		    &(struct tcpproxy_conf){ conf->name, listen, conf->upstream,
		        true },
		    &p, why);
	return e == ERR_OK ? e : why_prefix(why, e, "proxy %s", conf->name);
}

/* The API lists it, and adds toxics to it. */
static enum err
list_for_api(struct run *r, const struct proxy *p,
    const struct proxy_conf *conf, struct why *why)
{
	struct addr at;
	char text[ADDR_TEXT_MAX];
	enum err e;

	proxy_address(p, &at);
	addr_format(&at, text);
	e = tcpset_list(r->tcp,
	    &(struct tcpproxy_conf){ conf->name, text,
	        conf->upstream ? conf->upstream : proxy_mode_name(conf->mode),
	        true },
	    why);
	return e == ERR_OK ? e : why_prefix(why, e, "proxy %s", conf->name);
}

static enum err
open_proxies(struct run *r, struct why *why)
{
	struct mode_env env = { .scenario = r->scenario,
		.pool = r->pool,
		.upstreams = r->upstreams,
		.traffic = r->traffic };
	enum err e = ERR_OK;

	for (size_t i = 0; i < r->scenario->nproxies && e == ERR_OK; i++) {
		env.conf = &r->scenario->proxies[i];
		if (env.conf->mode == PROXY_PASSTHROUGH) {
			e = open_passthrough(r, env.conf, why);
			continue;
		}
		e = proxy_new(r->loop, r->engine, &env,
		    &r->proxies[r->nproxies], why);
		if (e == ERR_OK)
			e = list_for_api(r, r->proxies[r->nproxies++], env.conf,
			    why);
	}
	return e;
}

static void
list_proxies(json_t *list, void *arg)
{
	struct run *r = arg;

	for (size_t i = 0; i < r->nproxies; i++) {
		char text[ADDR_TEXT_MAX];
		struct addr at;

		proxy_address(r->proxies[i], &at);
		addr_format(&at, text);
		json_array_append_new(list,
		    json_pack("{ss ss ss sI}", "name",
		        proxy_name(r->proxies[i]), "mode",
		        proxy_mode_name(proxy_mode(r->proxies[i])), "listen",
		        text, "active",
		        (json_int_t)proxy_active(r->proxies[i])));
	}
}

static void
open_room(struct run *r)
{
	r->room = room_new(&(struct room_env){ .loop = r->loop,
	    .scenario = r->scenario,
	    .engine = r->engine,
	    .events = r->events,
	    .traffic = r->traffic,
	    .list_proxies = list_proxies,
	    .arg = r });
}

static enum err
populate(struct run *r, struct why *why)
{
	json_t *made = json_array();
	enum err e = toxiproxy_populate(r->tcp, r->populate, made, why);

	json_decref(made);
	return e == ERR_OK ? e : why_prefix(why, e, "%s", r->o.populate);
}

static enum err
open_admin(struct run *r, struct why *why)
{
	struct admin_conf conf = { .loop = r->loop,
		.set = r->tcp,
		.engine = r->engine,
		.room = r->room,
		.door = { &r->o.hosts, getenv(DOOR_TOKEN_NAME) } };
	enum err e = addr_parse(r->o.admin, &conf.listen, why);

	if (e != ERR_OK)
		return why_prefix(why, e, "--admin");
	if (conf.door.token && strlen(conf.door.token) < DOOR_TOKEN_MIN)
		return why_set(why, ERR_SYNTAX,
		    DOOR_TOKEN_NAME ": expected at least %d bytes",
		    DOOR_TOKEN_MIN);
	if (!conf.door.token && !addr_is_loopback(&conf.listen))
		log_warn("admin",
		    "whoever reaches %s drives every proxy: " DOOR_TOKEN_NAME
		    " sets a token",
		    r->o.admin);
	return admin_new(&conf, &r->admin, why);
}

static enum err
open_all(struct run *r, struct why *why)
{
	enum err e = events_open(r->o.log, &r->events, why);

	if (e != ERR_OK)
		return e;
	/* Delays are what this program is for, and epoll_wait(2) alone rounds
	 * them up to milliseconds. */
	r->loop = loop_new_precise(&loop_ops, r);
	/* A request is never sent twice, so a kept connection that its server
	 * is about to close would be the client's error: servers keep theirs
	 * for 5 s and more. */
	r->pool = fetch_pool_new(r->loop,
	    &(struct fetch_pool_conf){ .idle_timeout_ms = POOL_IDLE_MS,
	        .ca_file = r->o.upstream_ca });
	r->engine = engine_new(r->scenario, r->o.seed, r->events,
	    loop_now_us(r->loop) / 1000);
	r->traffic = traffic_new();
	r->http = (struct httpface_env){ .loop = r->loop,
		.engine = r->engine,
		.scenario = r->scenario,
		.pool = r->pool,
		.upstreams = r->upstreams,
		.traffic = r->traffic };
	r->tcp = tcpset_new(&(struct tcpset_conf){ .loop = r->loop,
	    .http = &r->http,
	    .seed = r->o.seed ? r->o.seed : r->scenario->seed,
	    .upstreams = r->upstreams,
	    .is_strict = r->o.strict_compat });
	open_room(r);
	e = open_proxies(r, why);
	if (e == ERR_OK && r->populate)
		e = populate(r, why);
	if (e == ERR_OK)
		e = open_admin(r, why);
	return e;
}

static enum err
say_ready(struct run *r, struct why *why)
{
	struct tcpproxy *tcp = NULL;
	struct tcpproxy_conf conf;
	struct buf pairs;
	struct addr at;
	char text[ADDR_TEXT_MAX];
	enum err e;

	buf_init(&pairs, READY_MAX);
	for (size_t i = 0; i < r->nproxies; i++) {
		proxy_address(r->proxies[i], &at);
		addr_format(&at, text);
		buf_addf(&pairs, "%s=%s ", proxy_name(r->proxies[i]), text);
	}
	while ((tcp = tcpset_next(r->tcp, tcp))) {
		if (tcpproxy_is_listed(tcp))
			continue;
		tcpproxy_conf(tcp, &conf);
		buf_addf(&pairs, "%s=%s ", conf.name, conf.listen);
	}
	admin_address(r->admin, &at);
	addr_format(&at, text);
	buf_addf(&pairs, "admin=%s", text);
	e = loop_ready(pairs.data, r->o.ready_file, why);
	/* As with --log: the name is right, the machine does not take it. */
	if (e != ERR_OK)
		e = ERR_IO;
	buf_done(&pairs);
	return e;
}

/* ---- ending */

static void
say_unmet(const char *line, void *arg)
{
	(void)arg;
	fprintf(stderr, "kf-chaos: %s\n", line);
}

static void
say_idle(const char *line, void *arg)
{
	(void)arg;
	log_warn("rules", "%s", line);
}

static void
say_again(const struct run *r)
{
	struct buf line;

	buf_init(&line, COMMAND_BYTES);
	buf_adds(&line, "kf-chaos: to repeat: kf-chaos");
	if (r->o.scenario)
		buf_addf(&line, " --scenario %s", r->o.scenario);
	for (size_t i = 0; i < r->o.presets.n; i++)
		buf_addf(&line, " --preset %s", r->o.presets.items[i]);
	buf_addf(&line, " --seed %s (scenario hash %s, version %s, log %s)\n",
	    r->o.seed ? r->o.seed : r->scenario->seed, r->scenario->hash,
	    opts_version(), r->o.log ? r->o.log : "none");
	mask_bytes(line.data, line.len);
	(void)fwrite(line.data, 1, line.len, stderr);
	buf_done(&line);
}

/* The run hash, the goals, and on failure how to do it again. */
static int
finish(struct run *r)
{
	char hash[DIGEST_HEX];
	bool is_broken = false;
	size_t unmet;

	for (size_t i = 0; i < r->nproxies; i++)
		is_broken |= proxy_has_lost(r->proxies[i]);
	/* Before the log is closed: an exchange that ends here reports what
	 * became of its faults. */
	for (size_t i = 0; i < r->nproxies; i++)
		proxy_free(r->proxies[i]);
	r->nproxies = 0;
	tcpset_free(r->tcp); /* connections report what their faults did */
	r->tcp = NULL;
	events_end(r->events);
	events_run_hash(r->events, hash);
	printf("run_hash %s\n", hash);
	fflush(stdout);
	idlerules_tell(r->engine, r->scenario, say_idle, NULL);
	unmet = unmet_goals(r->engine, r->scenario, say_unmet, NULL);
	is_broken |= events_are_broken(r->events);
	if (unmet == 0 && !is_broken)
		return EXIT_DONE;
	say_again(r);
	return unmet ? EXIT_JUDGED : EXIT_ENV;
}

static void
close_all(struct run *r)
{
	for (size_t i = 0; i < r->nproxies; i++)
		proxy_free(r->proxies[i]);
	room_free(r->room);
	admin_free(r->admin);
	tcpset_free(r->tcp);
	traffic_free(r->traffic);
	if (r->drain_timer)
		event_free(r->drain_timer);
	if (r->pool)
		fetch_pool_free(r->pool);
	engine_free(r->engine);
	events_close(r->events);
	if (r->loop)
		loop_free(r->loop);
	upstreams_free(r->upstreams);
	scenario_free(r->scenario);
	json_decref(r->populate);
}

/* The exit code of a failure to start. */
static int
start_code(enum err e)
{
	return e == ERR_SYNTAX || e == ERR_RANGE || e == ERR_TOOBIG ||
	        e == ERR_NOTFOUND || e == ERR_STATE
	    ? EXIT_USAGE
	    : EXIT_ENV;
}

static int
run_run(int argc, char **argv)
{
	struct run r = { .o = { .admin = DEFAULT_ADMIN } };
	const char *args[1];
	size_t nargs = 0;
	struct why why = { "" };
	enum err e;
	int code;

	if (!command_parse(&cmd_run, argc, argv, &r.o, args, &nargs, &code))
		return code;
	if (r.o.verbose)
		log_init("kf-chaos", LOG_LEVEL_DEBUG);
	end_with_parent(r.o.parent, SIGTERM);
	e = load(&r, &why);
	if (e == ERR_OK)
		e = open_all(&r, &why);
	if (e == ERR_OK)
		e = say_ready(&r, &why);
	if (e == ERR_OK) {
		loop_run(r.loop);
		code = finish(&r);
	} else {
		(void)command_end(&cmd_run, e, &why);
		code = start_code(e);
	}
	close_all(&r);
	return code;
}

const struct command cmd_run = { "", &command, run_run };
