/* kernelforge mcp: the kernel lab as a server of the Model Context Protocol. */
#include "agent/commands.h"
#include "agent/service/server.h"
#include "agent/service/stdio.h"
#include "agent/text/mask.h"
#include "base/files.h"
#include "base/log.h"
#include "base/parent.h"
#include <unistd.h>

#define LIMIT_S_DEFAULT 300

struct mcp_line {
	int64_t jobs, limit_s, parent;
	const char *runs, *device;
};

#define AT(m) offsetof(struct mcp_line, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "runs",	 OPT_STRING, AT(runs),	  0, 0, "DIR",	      "let get_ledger read the runs in that folder (default: none)" },
	{ "jobs",	 OPT_INT,    AT(jobs),	  1, 64, "N",	      "how many kernels are judged at a time (default: one a core)" },
	{ "limit",	 OPT_INT,    AT(limit_s), 1, 3600, "SECONDS", "how long a call may take (default 300)" },
	{ "device",	 OPT_STRING, AT(device),  0, 0, "TEXT",	      "an OpenCL device by a part of its name (default: the first)" },
	{ "with-parent", OPT_INT,    AT(parent),  1, INT32_MAX, "PID", "end when process PID, which started this one, ends" },
};
/* clang-format on */

static const struct opt_command opts = {
	.name = "kernelforge mcp",
	.usage = "",
	.about = "serves the kernel lab to coding assistants, by the Model "
	         "Context Protocol on standard input and output",
	.rows = rows,
	.nrows = COUNT(rows),
	.examples = "kernelforge mcp\t"
	            "for an assistant that starts it itself\n"
	            "kernelforge mcp --runs runs\t"
	            "and lets it read what runs proved\n",
};

static void
on_stop(void *arg)
{
	struct loop **loop = arg;

	loop_quit(*loop);
}

static int
serve(const struct mcp_line *line)
{
	static const struct loop_ops ops = { .on_stop = on_stop };
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	struct loop *loop = NULL;
	struct mcp_server *server;
	struct mcp_stdio *door;

	loop = loop_new(&ops, &loop);
	server = mcp_server_new(&(struct mcp_conf){
	    .loop = loop,
	    .at_once = line->jobs ? (unsigned)line->jobs
	                          : (unsigned)(cores > 0 ? cores : 1),
	    .limit_ms = (uint32_t)line->limit_s * 1000,
	    .runs = line->runs,
	    .device = line->device,
	});
	door = mcp_stdio_new(loop, server, STDIN_FILENO, STDOUT_FILENO);
	loop_run(loop);
	mcp_stdio_free(door);
	mcp_server_free(server);
	loop_free(loop);
	return EXIT_DONE;
}

static int
run(int argc, char **argv)
{
	struct mcp_line line = { .limit_s = LIMIT_S_DEFAULT };
	size_t nargs;
	int code;

	if (!command_parse(&cmd_mcp, argc, argv, &line, NULL, &nargs, &code))
		return code;
	if (line.runs && !files_exists(line.runs)) {
		log_error("mcp", "--runs: %s: no such folder", line.runs);
		return EXIT_USAGE;
	}
	mask_add_environment();
	parent_follow(line.parent);
	return serve(&line);
}

const struct command cmd_mcp = { "mcp", &opts, run };
