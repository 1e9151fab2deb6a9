/*
 * What a scenario may put into the head of an answer: a name and a text that
 * stay one header.  Asked when the scenario is read; a line break in a value
 * would otherwise be found out when the fault fires, and break the answer.
 */
#ifndef CHAOS_HEADERTEXT_H
#define CHAOS_HEADERTEXT_H

#include "base/err.h"

/* pointer/key is where the text stands; text NULL: nothing was said. */
enum err headertext_check(const char *name, const char *text,
    const char *pointer, const char *key, struct why *why);

#endif
