/*
 * Dispatch by table.  What a program can do is told by the rows alone, so
 * --help, the manual pages and the shell's completion cannot disagree.
 */
#include "base/command.h"

#include "base/log.h"
#include "base/mask.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The program's page: its own options, if it runs alone, then the commands. */
static void
help(const struct program *p, FILE *out)
{
	if (p->alone)
		opts_print_help(p->alone->opts, out);
	else {
		fprintf(out, "usage: %s COMMAND [options]\n\n", p->name);
		opts_print_text(p->about, out);
	}
	fputs("\ncommands:\n", out);
	for (size_t i = 0; i < p->ncommands; i++)
		opts_print_row(p->commands[i]->name,
		    p->commands[i]->opts->usage, p->commands[i]->opts->about,
		    out);
	fprintf(out, "\n  %s COMMAND --help says more.\n\n", p->name);
	opts_print_text("exit: 0 done, 1 refused or failed by judgement, 2 "
	                "usage or bad input, 3 environment",
	    out);
}

/* The manual page of the program itself. */
static void
man(const struct program *p)
{
	const struct opt_command whole = {
		.name = p->name,
		.usage = "COMMAND",
		.about = p->about,
	};

	opts_print_man(p->alone ? p->alone->opts : &whole, stdout);
}

static const struct command *
find(const struct program *p, const char *word)
{
	for (size_t i = 0; i < p->ncommands; i++)
		if (strcmp(p->commands[i]->name, word) == 0)
			return p->commands[i];
	return NULL;
}

/* Who starts us with a closed standard stream would have the next file that we
 * open take its number, and our messages written into it.  What is written to
 * an output that was closed must fail, as it does where a disk is full. */
static void
hold_standard_streams(void)
{
	int fd;

	do
		fd = open("/dev/null",
		    fcntl(STDIN_FILENO, F_GETFD) != -1 &&
		            fcntl(STDOUT_FILENO, F_GETFD) == -1
		        ? O_RDONLY
		        : O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static int
dispatch(const struct program *p, int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";
	const struct command *c = find(p, word);

	if (c)
		return c->run(argc - 1, argv + 1);
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		help(p, stdout);
		return EXIT_DONE;
	}
	if (strcmp(word, "--man") == 0) {
		man(p);
		return EXIT_DONE;
	}
	if (strcmp(word, "--commands") == 0) {
		for (size_t i = 0; i < p->ncommands; i++)
			puts(p->commands[i]->name);
		return EXIT_DONE;
	}
	if (p->alone)
		return p->alone->run(argc, argv);
	if (strcmp(word, "--version") == 0) {
		printf("%s %s\n", p->name, opts_version());
		return EXIT_DONE;
	}
	if (*word == '\0')
		help(p, stderr);
	else {
		mask_add_environment();
		log_error("usage",
		    "found \"%.60s\", expected a command (see --help)", word);
	}
	return EXIT_USAGE;
}

/* Who closed the pipe has read enough; a full disk has kept less than the exit
 * code would promise. */
static bool
reader_is_gone(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

int
program_main(const struct program *p, int argc, char **argv)
{
	int code;

	hold_standard_streams();
	log_init(p->name, LOG_LEVEL_INFO);
	/* A closed pipe, or a file that may not grow, is an error of the write
	 * and told in words. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	code = dispatch(p, argc, argv);
	/* A judgement that nobody can read is none. */
	if ((code == EXIT_DONE || code == EXIT_JUDGED) &&
	    (fflush(stdout) != 0 || ferror(stdout)) && !reader_is_gone()) {
		log_error("output", "could not be written whole");
		code = EXIT_ENV;
	}
	return code;
}

bool
command_parse(const struct command *c, int argc, char **argv, void *dst,
    const char **args, size_t *ret_nargs, int *ret_code)
{
	struct why why;
	enum err e =
	    opts_parse(c->opts, argc, argv, dst, args, ret_nargs, &why);

	if (e == ERR_OK)
		return true;
	*ret_code = EXIT_DONE; /* --help and its like were answered */
	if (e != ERR_STATE) {
		(void)command_end(c, e, &why);
		*ret_code = EXIT_USAGE;
	}
	return false;
}

int
command_end(const struct command *c, enum err e, const struct why *why)
{
	if (e != ERR_OK)
		log_error(*c->name ? c->name : "start", "%s", why->text);
	return (int)err_exit_code(e);
}
