/*
 * kernelforge: the table of commands, and nothing else.  A new command is a
 * file cmd_NAME.c and a row here.
 */
#include "agent/commands.h"
#include <curl/curl.h>
#include <malloc.h>

/* What is larger is a mapping of its own. */
#define MAPPED_BYTES (256 << 10)

/* Sorted by name. */
static const struct command *const commands[] = {
	&cmd_bench,
	&cmd_compare,
	&cmd_doctor,
	&cmd_export,
	&cmd_ledger,
	&cmd_mcp,
	&cmd_merge,
	&cmd_mutants,
	&cmd_ops,
	&cmd_reliability,
	&cmd_report,
	&cmd_run,
	&cmd_verify,
};

static const struct program program = {
	.name = "kernelforge",
	.about = "Asks a language model for compute kernels and claims only "
	         "what passed its hidden holdouts.",
	.commands = commands,
	.ncommands = COUNT(commands),
};

int
main(int argc, char **argv)
{
	int code;

	/* Inputs and references of a judgement are megabytes that come and go,
	 * in several threads: they go back to the system when they are freed,
	 * where glibc would learn to keep them in heaps, in pieces. */
	(void)mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES);
	curl_global_init(CURL_GLOBAL_DEFAULT);
	code = program_main(&program, argc, argv);
	curl_global_cleanup();
	return code;
}
