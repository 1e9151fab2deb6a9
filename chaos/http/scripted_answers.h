/*
 * Scripted answers: a folder of .cl and .txt files, by model, operator and
 * iteration (docs/wire.md).  A .cl file is a candidate and becomes the JSON
 * object of the kernel contract; a .txt file is sent as it is.
 */
#ifndef CHAOS_SCRIPTED_ANSWERS_H
#define CHAOS_SCRIPTED_ANSWERS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

struct scripted_answers_ask { /* any may be empty */
	struct slice model, op, iteration;
};

/*
 * Appends the content for ask.  ERR_NOTFOUND: no such file, *why names the
 * stems that were tried.  ERR_SYNTAX: the file is no candidate.
 */
enum err scripted_answers_find(const char *folder,
    const struct scripted_answers_ask *ask, struct buf *content,
    struct why *why);

/* Appends the body of GET /v1/models: the folders of the folder. */
enum err scripted_answers_models(const char *folder, struct buf *out,
    struct why *why);

#endif
