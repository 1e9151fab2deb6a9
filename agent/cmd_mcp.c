/* kernelforge mcp: the kernel lab as a server of the Model Context Protocol. */
#include "agent/commands.h"
#include "agent/service/http.h"
#include "agent/service/server.h"
#include "agent/service/stdio.h"
#include "base/end_with_parent.h"
#include "base/files.h"
#include "base/log.h"
#include "base/mem.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIMIT_S_DEFAULT 300

#define HTTP_DEFAULT "127.0.0.1:8767"
#define TOKEN_NAME   "KERNELFORGE_MCP_TOKEN"
#define TOKEN_MIN    16

struct mcp_line {
	bool http;
	int64_t jobs, limit_s, parent;
	const char *runs, *device, *ready, *where;
	struct opt_list hosts;
};

#define AT(m) offsetof(struct mcp_line, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "http",	 OPT_FLAG,   AT(http),	  0, 0, NULL,	      "serve streamable HTTP there, at /mcp (default: 127.0.0.1:8767; port 0 for a free one)" },
	{ "allow-host",	 OPT_LIST,   AT(hosts),	  0, 0, "NAME",	      "with --http: a name that Host and Origin may give beside loopback; may be given again" },
	{ "ready-file",	 OPT_STRING, AT(ready),	  0, 0, "FILE",	      "with --http: write the ready line there too" },
	{ "runs",	 OPT_STRING, AT(runs),	  0, 0, "DIR",	      "let get_ledger read the runs in that folder (default: none)" },
	{ "jobs",	 OPT_INT,    AT(jobs),	  1, 64, "N",	      "how many kernels are judged at a time (default: one a core)" },
	{ "limit",	 OPT_INT,    AT(limit_s), 1, 3600, "SECONDS", "how long a call may take (default 300)" },
	{ "device",	 OPT_STRING, AT(device),  0, 0, "TEXT",	      "an OpenCL device by a part of its name (default: the first)" },
	{ "with-parent", OPT_INT,    AT(parent),  1, INT32_MAX, "PID", "end when process PID, which started this one, ends" },
};
/* clang-format on */

static const struct opt_command opts = {
	.name = "kernelforge mcp",
	.usage = "[--http [ADDR:PORT]]",
	.about = "serves the kernel lab to coding assistants, by the Model "
	         "Context Protocol, on standard input and output or over HTTP; "
	         "beyond loopback every request must bear the token in "
	         "KERNELFORGE_MCP_TOKEN",
	.rows = rows,
	.nrows = COUNT(rows),
	.args_max = 1,
	.examples = "kernelforge mcp\t"
	            "for an assistant that starts it itself\n"
	            "kernelforge mcp --runs runs\t"
	            "and lets it read what runs proved\n"
	            "kernelforge mcp --http\t"
	            "for many, at http://127.0.0.1:8767/mcp\n",
};

static void
on_stop(void *arg)
{
	struct loop **loop = arg;

	loop_quit(*loop);
}

/* Opens the door over the network, and says where it is. */
static enum err
open_http(const struct mcp_line *line, struct loop *loop,
    struct mcp_server *server, struct mcp_http **ret, struct why *why)
{
	struct mcp_http_conf conf = { .token = getenv(TOKEN_NAME),
		.hosts = &line->hosts };
	char at[ADDR_TEXT_MAX], *pairs;
	struct addr bound;
	enum err e = addr_parse(line->where ? line->where : HTTP_DEFAULT,
	    &conf.listen, why);

	if (e != ERR_OK)
		return e;
	if (conf.token && strlen(conf.token) < TOKEN_MIN)
		return why_set(why, ERR_RANGE,
		    TOKEN_NAME ": expected at least %d characters", TOKEN_MIN);
	e = mcp_http_new(loop, server, &conf, ret, why);
	if (e != ERR_OK)
		return e;
	mcp_http_address(*ret, &bound);
	addr_format(&bound, at);
	pairs = xasprintf("mcp=%s", at);
	e = loop_ready(pairs, line->ready, why);
	free(pairs);
	return e;
}

static int
serve(const struct mcp_line *line)
{
	static const struct loop_ops ops = { .on_stop = on_stop };
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	struct loop *loop = NULL;
	struct mcp_server *server;
	struct mcp_stdio *pipe = NULL;
	struct mcp_http *http = NULL;
	struct why why;
	enum err e = ERR_OK;

	loop = loop_new(&ops, &loop);
	server = mcp_server_new(&(struct mcp_conf){
	    .loop = loop,
	    .at_once = line->jobs ? (unsigned)line->jobs
	                          : (unsigned)(cores > 0 ? cores : 1),
	    .limit_ms = (uint32_t)line->limit_s * 1000,
	    .runs = line->runs,
	    .device = line->device,
	});
	if (line->http)
		e = open_http(line, loop, server, &http, &why);
	else
		pipe = mcp_stdio_new(loop, server, STDIN_FILENO, STDOUT_FILENO);
	if (e == ERR_OK)
		loop_run(loop);
	else
		log_error("mcp", "%s", why.text);
	if (pipe && mcp_stdio_has_lost(pipe))
		e = ERR_IO;
	mcp_stdio_free(pipe);
	mcp_http_free(http);
	mcp_server_free(server);
	loop_free(loop);
	return e == ERR_DENIED ? EXIT_USAGE : (int)err_exit_code(e);
}

static int
run(int argc, char **argv)
{
	struct mcp_line line = { .limit_s = LIMIT_S_DEFAULT };
	size_t nargs;
	int code;

	if (!command_parse(&cmd_mcp, argc, argv, &line, &line.where, &nargs,
	        &code))
		return code;
	if (line.runs && !files_exists(line.runs)) {
		log_error("mcp", "--runs: %s: no such folder", line.runs);
		return EXIT_USAGE;
	}
	if (!line.http && (line.where || line.ready || line.hosts.n > 0)) {
		log_error("mcp",
		    "an address, --ready-file and --allow-host go with --http");
		return EXIT_USAGE;
	}
	end_with_parent(line.parent, SIGTERM);
	return serve(&line);
}

const struct command cmd_mcp = { "mcp", &opts, run };
