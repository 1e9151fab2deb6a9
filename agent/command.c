/* What all commands do with their command line. */
#include "agent/command.h"

#include "base/log.h"

bool
command_parse(const struct command *c, int argc, char **argv, void *dst,
    const char **args, size_t *ret_nargs, int *ret_code)
{
	struct why why;
	enum err e =
	    opts_parse(c->opts, argc, argv, dst, args, ret_nargs, &why);

	if (e == ERR_OK)
		return true;
	*ret_code = e == ERR_STATE ? EXIT_DONE : EXIT_USAGE;
	if (e != ERR_STATE)
		log_error(c->name, "%s", why.text);
	return false;
}
