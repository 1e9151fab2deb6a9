/*
 * What audit, explore and shrink have in common: a program to run, given
 * behind "--", and a folder for what its runs leave behind.
 */
#ifndef CHAOS_CLIENT_COMMAND_H
#define CHAOS_CLIENT_COMMAND_H

#include "base/err.h"
#include "chaos/trials/client_trial.h"
#include <stdbool.h>

#define CLIENT_COMMAND_WORDS_MAX 256

struct client_command {
	char *const *command; /* NULL-terminated, borrowed from argv */
	char *folder;         /* owned */
	bool is_temporary;    /* removed at the end */
	int interrupted_by;   /* the signal that ended a run; 0: none has */
};

/*
 * out: the folder to keep; NULL: a temporary one.  ERR_SYNTAX when there is
 * no command behind "--", ERR_IO when there can be no folder.
 */
enum err client_command_open(struct client_command *s, int argc, char **argv,
    const char *out, struct why *why);
/* Run number n of it, in a folder of its own: fills name, folder and command
 * of conf and waits for the end. */
enum err client_command_run(struct client_command *s, size_t n,
    struct client_trial_conf *conf, struct client_trial **ret, struct why *why);
void client_command_close(struct client_command *s);

#endif
