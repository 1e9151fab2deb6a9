/*
 * The file of a store, before SQLite opens it.
 */
#ifndef GATEWAY_STORE_FILE_H
#define GATEWAY_STORE_FILE_H

#include "base/err.h"

/* Makes it where there is none, for its owner only.  *ret: its real path,
 * without links; owned.  ERR_SYNTAX: no file, or one with two names; ERR_ENV. */
enum err store_file_make(const char *path, char **ret, struct why *why);

#endif
