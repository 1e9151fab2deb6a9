/*
 * kf-chaos toxiproxy-server: starts as the original's server does, with its
 * own options in either of Go's spellings (-port and --port), so that images
 * and test containers that call it need not change.
 */
#include "chaos/commands.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "chaos/admin/admin_door.h"

#define WORDS_MAX 64

struct options {
	const char *host, *port, *config, *seed, *ready_file;
	bool proxy_metrics, runtime_metrics;
};

/* clang-format off */
static const struct opt rows[] = {
	COMMAND_ROW("host",            OPT_STRING, host,            0, 0, "HOST", "where the API listens; default localhost"),
	COMMAND_ROW("port",            OPT_STRING, port,            0, 0, "PORT", "its port; default 8474"),
	COMMAND_ROW("config",          OPT_STRING, config,          0, 0, "FILE", "a JSON list of proxies to make at the start"),
	COMMAND_ROW("seed",            OPT_STRING, seed,            0, 0, "N",    "what draws depend on"),
	COMMAND_ROW("proxy-metrics",   OPT_FLAG,   proxy_metrics,   0, 0, NULL,   "taken; metrics are always there"),
	COMMAND_ROW("ready-file",      OPT_STRING, ready_file,      0, 0, "FILE", "ours: also writes the ready line there"),
	COMMAND_ROW("runtime-metrics", OPT_FLAG,   runtime_metrics, 0, 0, NULL,   "taken; there is no Go runtime to measure"),
};
/* clang-format on */

static const struct opt_command command = {
	.name = "kf-chaos toxiproxy-server",
	.usage = "",
	.about = "Starts as toxiproxy-server does, with its options; a link of "
	         "that name to kf-chaos does the same.",
	.rows = rows,
	.nrows = COUNT(rows),
	.examples = "kf-chaos toxiproxy-server -host 0.0.0.0 -config "
	            "proxies.json\t"
	            "what the image's entry point calls\n",
};

/* "-port" as "--port"; what stands alone stays.  The words are owned. */
static void
spell(int argc, char **argv, char *words[WORDS_MAX])
{
	for (int i = 0; i < argc; i++) {
		bool is_short = i > 0 && argv[i][0] == '-' &&
		    argv[i][1] != '-' && argv[i][1] && argv[i][2];

		words[i] = xasprintf("%s%s", is_short ? "-" : "", argv[i]);
	}
}

static int
start(const struct options *o)
{
	bool is_v6 = strchr(o->host, ':') && o->host[0] != '[';
	char *admin = xasprintf("%s%s%s:%s", is_v6 ? "[" : "", o->host,
	    is_v6 ? "]" : "", o->port);
	const struct {
		const char *name, *value;
	} ours[] = { { "--admin", admin },
		/* The original is called by whatever name its container has. */
		{ "--allow-host", DOOR_ANY }, { "--populate", o->config },
		{ "--ready-file", o->ready_file }, { "--seed", o->seed } };
	char *argv[2 * COUNT(ours) + 2] = { xstrdup("kf-chaos") };
	int argc = 1, code;

	for (size_t i = 0; i < COUNT(ours); i++) {
		if (!ours[i].value)
			continue;
		argv[argc++] = xstrdup(ours[i].name);
		argv[argc++] = xstrdup(ours[i].value);
	}
	code = cmd_run.run(argc, argv);
	for (int i = 0; i < argc; i++)
		free(argv[i]);
	free(admin);
	return code;
}

static int
run_toxiproxy_server(int argc, char **argv)
{
	struct options o = { .host = "localhost", .port = "8474" };
	char *words[WORDS_MAX + 1] = { NULL };
	size_t nargs = 0;
	int code = EXIT_USAGE;

	log_init("kf-chaos", LOG_LEVEL_INFO);
	(void)signal(SIGPIPE, SIG_IGN);
	if (argc > WORDS_MAX) {
		log_error("usage", "more than %d words", WORDS_MAX);
		return EXIT_USAGE;
	}
	spell(argc, argv, words);
	if (command_parse(&cmd_toxiproxy_server, argc, words, &o, NULL, &nargs,
	        &code))
		code = start(&o);
	for (int i = 0; i < argc; i++)
		free(words[i]);
	return code;
}

const struct command cmd_toxiproxy_server = { "toxiproxy-server", &command,
	run_toxiproxy_server };
