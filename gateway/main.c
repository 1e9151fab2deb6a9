/*
 * kf-gateway: a local OpenAI-shaped door with many upstreams behind it.
 *
 *	kf-gateway --config FILE [--listen HOST:PORT] ...	serves
 *	kf-gateway check FILE				judges a file
 *	kf-gateway replay LOG --config FILE	decides a log again
 *	kf-gateway keys|spend|requests	looks into a store
 *	kf-gateway top [--admin HOST:PORT]	watches one that runs
 */
#include "base/columns.h"
#include "base/command.h"
#include "base/end_with_parent.h"
#include "base/files.h"
#include "base/log.h"
#include "base/mask.h"
#include "base/tls.h"
#include "gateway/cmd_prices.h"
#include "gateway/cmd_store.h"
#include "gateway/conf/conf.h"
#include "gateway/service/replay.h"
#include "gateway/service/service.h"
#include "gateway/service/top.h"
#include "gateway/store/store.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct options {
	const char *config, *listen, *admin, *log, *ready;
	int64_t parent;
	bool verbose;
};

#define OFF(m) offsetof(struct options, m)

/* clang-format off */
static const struct opt serve_rows[] = {
	{ "config",     OPT_STRING, OFF(config),  0, 0, "FILE",      "The configuration; required." },
	{ "listen",     OPT_STRING, OFF(listen),  0, 0, "HOST:PORT", "Where clients come; 127.0.0.1:8765, port 0 for a free one." },
	{ "admin",      OPT_STRING, OFF(admin),   0, 0, "HOST:PORT", "Health, metrics and reload; 127.0.0.1:8764." },
	{ "log",        OPT_STRING, OFF(log),     0, 0, "FILE",      "Append one JSON line a decision; none without it." },
	{ "ready-file", OPT_STRING, OFF(ready),   0, 0, "FILE",      "Write the ready line there too." },
	{ "with-parent", OPT_INT,   OFF(parent), 1, INT32_MAX, "PID", "End when process PID, which started this one, ends." },
	{ "verbose",    OPT_FLAG,   OFF(verbose), 0, 0, NULL,        "Log every state change on standard error." },
};
/* clang-format on */

static const struct opt_command serve_command = { "kf-gateway", "",
	"A local OpenAI-compatible gateway: routes, retries, falls back.",
	serve_rows, COUNT(serve_rows), 0, 0,
	"kf-gateway --config gateway.yaml\tserve it on 127.0.0.1:8765\n"
	"kf-gateway check gateway.yaml\tsay what is wrong with it" };

static const struct opt_command check_command = { "kf-gateway check", "FILE",
	"Reads a configuration and says what is wrong with it; exits 0 or 2.",
	NULL, 0, 1, 1,
	"kf-gateway check gateway.yaml\tsay where it is wrong\n" };

static const struct opt replay_rows[] = {
	{ "config", OPT_STRING, OFF(config), 0, 0, "FILE",
	    "The configuration to decide by; required." },
};

static const struct opt_command replay_command = { "kf-gateway replay", "LOG",
	"Says which requests of a decision log another configuration would\n"
	"route, refuse or price differently; exits 0 when none, else 1.",
	replay_rows, COUNT(replay_rows), 1, 1,
	"kf-gateway replay gateway.jsonl --config new.yaml\t"
	"what a change would have changed\n" };

struct top_fields {
	const char *admin;
	int64_t interval_ms, count;
};

/* clang-format off */
static const struct opt top_rows[] = {
	{ "admin",       OPT_STRING, offsetof(struct top_fields, admin),       0, 0,          "HOST:PORT", "The gateway's admin port; 127.0.0.1:8764." },
	{ "count",       OPT_INT,    offsetof(struct top_fields, count),       0, 1000000000, "N",         "Rounds; 0 goes on until it is stopped." },
	{ "interval-ms", OPT_INT,    offsetof(struct top_fields, interval_ms), 1, 3600000,    "MS",        "Time between rounds; 1000." },
};
/* clang-format on */

static const struct opt_command top_command = { "kf-gateway top", "",
	"Shows a running gateway's targets, again and again.", top_rows,
	COUNT(top_rows), 0, 0,
	"kf-gateway top\tagain and again\n"
	"kf-gateway top --count 1\tonce, for a script\n" };

static int run_check(int argc, char **argv);
static int run_replay(int argc, char **argv);
static int run_serve(int argc, char **argv);
static int run_top(int argc, char **argv);

static const struct command serve = { "", &serve_command, run_serve };
static const struct command check = { "check", &check_command, run_check };
static const struct command replay = { "replay", &replay_command, run_replay };
static const struct command top = { "top", &top_command, run_top };

/* A store that is there must be one; one that is not is made later. */
static bool
check_store(const struct conf *c, struct why *why)
{
	struct store_conf conf = { .path = c->store.path };
	struct store *s;
	enum err e;

	if (!conf.path)
		return true;
	e = store_open(&conf, STORE_USE, &s, why);
	if (e == ERR_OK) {
		e = store_check(s, 0, why);
		store_close(s);
	}
	return e == ERR_OK ||
	    (e == ERR_NOTFOUND && store_has_folder(conf.path, why));
}

/* What the start refuses is refused here; authorities may be there by the time
 * that an upstream is asked. */
static bool
check_tls(const struct conf *c, struct findings *f, struct why *why)
{
	char reason[TLS_REASON_MAX];
	struct tls_context *t;

	if (c->ca_file && !files_exists(c->ca_file)) {
		findings_warn(f, NULL, "%s: tls.ca_file: %s is not there",
		    f->file, c->ca_file);
	} else if (c->ca_file) {
		t = tls_client_new(c->ca_file, reason);
		if (!t)
			findings_warn(f, NULL, "%s: tls.ca_file: %s", f->file,
			    reason);
		tls_context_free(t);
	}
	if (!c->cert_file)
		return true;
	t = tls_server_new(c->cert_file, c->key_file, reason);
	if (!t)
		why_set(why, ERR_SYNTAX, "%s: tls: %s", f->file, reason);
	tls_context_free(t);
	return t != NULL;
}

static int
run_check(int argc, char **argv)
{
	const char *file = NULL;
	struct findings f;
	char shown[WHY_MAX];
	struct conf *c;
	struct why why;
	size_t nargs;
	bool has_tls;
	int code;

	if (!command_parse(&check, argc, argv, NULL, &file, &nargs, &code))
		return code;
	mask_format(shown, sizeof shown, "%s", file);
	findings_init(&f, file);
	f.is_offline = true;
	c = conf_load(file, &f);
	has_tls = c && check_tls(c, &f, &why);
	if (f.text.len)
		fputs(f.text.data, stderr);
	if (c && !has_tls) {
		fprintf(stderr, "kf-gateway: %s\n", why.text);
		conf_unref(c);
		c = NULL;
	}
	if (c && !check_store(c, &why)) {
		fprintf(stderr, "%s: %s\n", shown, why.text);
		conf_unref(c);
		c = NULL;
	}
	if (c)
		columns_say(stdout,
		    "%s: good: %zu providers, %zu rules, %u warnings", shown,
		    c->nproviders, c->nrules, f.warnings);
	findings_done(&f);
	if (!c)
		return EXIT_USAGE;
	conf_unref(c);
	return EXIT_DONE;
}

static int
run_replay(int argc, char **argv)
{
	struct options in = { 0 };
	const char *log = NULL;
	struct why why;
	size_t nargs;
	int code;

	if (!command_parse(&replay, argc, argv, &in, &log, &nargs, &code))
		return code;
	if (!in.config)
		return command_end(&replay,
		    why_set(&why, ERR_SYNTAX, "--config FILE is missing"),
		    &why);
	return (int)replay_run(log, in.config, stdout);
}

static int
run_top(int argc, char **argv)
{
	struct top_fields in = { "127.0.0.1:8764", 1000, 0 };
	struct top_options o = { .count = 0 };
	struct why why;
	size_t nargs;
	enum err e;
	int code;

	if (!command_parse(&top, argc, argv, &in, NULL, &nargs, &code))
		return code;
	e = addr_parse(in.admin, &o.admin, &why);
	if (e != ERR_OK)
		return command_end(&top, e, &why);
	o.interval_ms = in.interval_ms;
	o.count = in.count;
	return (int)top_run(&o);
}

static int
run_serve(int argc, char **argv)
{
	struct options in = { .listen = "127.0.0.1:8765",
		.admin = "127.0.0.1:8764" };
	struct service_options o = { 0 };
	struct why why;
	size_t nargs;
	enum err e;
	int code;

	if (!command_parse(&serve, argc, argv, &in, NULL, &nargs, &code))
		return code;
	e = in.config ? addr_parse(in.listen, &o.listen, &why)
	              : why_set(&why, ERR_SYNTAX, "--config FILE is missing");
	if (e == ERR_OK)
		e = addr_parse(in.admin, &o.admin, &why);
	if (e != ERR_OK)
		return command_end(&serve, e, &why);
	log_init("kf-gateway", in.verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
	end_with_parent(in.parent, SIGTERM);
	o.conf_path = in.config;
	o.log_path = in.log;
	o.ready_path = in.ready;
	return (int)service_run(&o);
}

/* Sorted by name. */
static const struct command *const commands[] = { &check, &cmd_keys,
	&cmd_prices, &replay, &cmd_requests, &cmd_spend, &top };

static const struct program program = {
	.name = "kf-gateway",
	.commands = commands,
	.ncommands = COUNT(commands),
	.alone = &serve,
};

int
main(int argc, char **argv)
{
	return program_main(&program, argc, argv);
}
