/*
 * A command line's tail and a folder, which is removed at the end unless
 * somebody named one.
 */
#include "chaos/trials/client_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/mem.h"

static enum err
make_folder(struct client_command *s, const char *out, struct why *why)
{
	const char *tmp = getenv("TMPDIR");
	char *real;

	if (out) {
		enum err e = files_mkdirs(out, why);

		real = e == ERR_OK ? realpath(out, NULL) : NULL;
		if (!real)
			return e == ERR_OK ? why_set(why, ERR_IO, "%s: %s", out,
			                         strerror(errno))
			                   : e;
		s->folder = real;
		return ERR_OK;
	}
	s->folder = xasprintf("%s/kf-chaos-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	s->is_temporary = mkdtemp(s->folder) != NULL;
	if (s->is_temporary)
		return ERR_OK;
	why_set(why, ERR_IO, "%s: %s", s->folder, strerror(errno));
	free(s->folder);
	s->folder = NULL;
	return ERR_IO;
}

enum err
client_command_open(struct client_command *s, int argc, char **argv,
    const char *out, struct why *why)
{
	*s = (struct client_command){ NULL, NULL, false, 0 };
	/* The words behind "--" are the command's own and may look like options
	 * of ours, so they are not asked of opts_parse(). */
	for (int i = 1; i + 1 < argc && !s->command; i++)
		if (strcmp(argv[i], "--") == 0)
			s->command = argv + i + 1;
	if (!s->command)
		return why_set(why, ERR_SYNTAX,
		    "expected -- and the command to run");
	return make_folder(s, out, why);
}

enum err
client_command_run(struct client_command *s, size_t n,
    struct client_trial_conf *conf, struct client_trial **ret, struct why *why)
{
	char name[32], *folder;
	enum err e;

	snprintf(name, sizeof name, "run-%03zu", n);
	folder = files_join(s->folder, name);
	conf->name = name;
	conf->folder = folder;
	conf->command = s->command;
	conf->interrupted_by = &s->interrupted_by;
	e = client_trial_run(conf, ret, why);
	free(folder);
	return e;
}

void
client_command_close(struct client_command *s)
{
	if (s->is_temporary)
		files_remove_tree(s->folder);
	free(s->folder);
	s->folder = NULL;
}
