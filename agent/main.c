/*
 * kernelforge: the table of commands, and nothing else.  A new command is a
 * file cmd_NAME.c and a row here.
 */
#include "agent/command.h"
#include "base/log.h"
#include "base/opts.h"
#include <curl/curl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Sorted by name. */
static const struct command *const commands[] = {
	&cmd_bench,
	&cmd_doctor,
	&cmd_ledger,
	&cmd_mutants,
	&cmd_ops,
	&cmd_report,
	&cmd_run,
	&cmd_verify,
};

#define NCOMMANDS (sizeof commands / sizeof commands[0])

static void
usage(FILE *f)
{
	fputs("usage: kernelforge COMMAND [options]\n\n"
	      "Asks a language model for compute kernels and claims only what "
	      "it has proved.\n\n",
	    f);
	for (size_t i = 0; i < NCOMMANDS; i++)
		fprintf(f, "  %-8s %-18s %s\n", commands[i]->name,
		    commands[i]->opts->usage, commands[i]->opts->about);
	fputs("\n  --help, --version; kernelforge COMMAND --help says more.\n"
	      "\nexit: 0 done, 1 refused or failed by judgement, 2 usage or "
	      "bad input, 3 environment\n",
	    f);
}

int
main(int argc, char **argv)
{
	log_init("kernelforge", LOG_LEVEL_INFO);
	(void)signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0) {
		usage(stdout);
		return EXIT_DONE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("kernelforge %s\n", opts_version());
		return EXIT_DONE;
	}
	for (size_t i = 0; i < NCOMMANDS; i++)
		if (strcmp(commands[i]->name, argv[1]) == 0) {
			int code;

			curl_global_init(CURL_GLOBAL_DEFAULT);
			code = commands[i]->run(argc - 1, argv + 1);
			curl_global_cleanup();
			return code;
		}
	log_error("usage", "found \"%.60s\", expected a command (see --help)",
	    argv[1]);
	return EXIT_USAGE;
}
