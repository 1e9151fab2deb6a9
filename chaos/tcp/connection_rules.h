/*
 * The rules of a scenario on one connection of a TCP proxy: those that fire
 * for it are toxics of this connection alone, towards the client.
 */
#ifndef CHAOS_CONNECTION_RULES_H
#define CHAOS_CONNECTION_RULES_H

#include "chaos/http/toxic.h"
#include <stdint.h>

struct connrules;
struct engine;

/* Counts the connection and decides.  NULL: no rule acts on it.  The engine
 * and the text are borrowed. */
struct connrules *connrules_new(struct engine *e, const char *proxy,
    uint64_t now_ms);
/* After the link: what never acted is reported as bypassed.  NULL-safe. */
void connrules_free(struct connrules *c);
struct toxic_list *connrules_toxics(struct connrules *c);

#endif
