/* A kernel file that a user names on the command line. */
#ifndef AGENT_KERNEL_FILE_H
#define AGENT_KERNEL_FILE_H

#include "base/err.h"
#include "cltext/candidate.h"

/* ERR_NOTFOUND, ERR_TOOBIG, ERR_IO, ERR_SYNTAX; candidate_done() frees it. */
enum err kernel_file_read(const char *path, struct candidate *ret,
    struct why *why);

#endif
