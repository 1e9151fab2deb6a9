/*
 * Presets as switches: their rules join a running engine and leave it.  Each
 * switch is all or nothing.
 */
#ifndef CHAOS_CONTROL_ROOM_PRESETS_H
#define CHAOS_CONTROL_ROOM_PRESETS_H

#include "base/slice.h"
#include "chaos/rules/engine.h"

struct roompresets;

/* Both borrowed; what is on goes off when it is freed, before the engine. */
struct roompresets *roompresets_new(const struct scenario *s,
    struct engine *engine);
void roompresets_free(struct roompresets *p); /* NULL-safe */

/* [{"name", "enabled", "in_scenario", "matched", "fired"}], new. */
json_t *roompresets_json(const struct roompresets *p);

/* ERR_NOTFOUND; ERR_SYNTAX and ERR_RANGE, or ERR_STATE: the scenario has its
 * rules already, or too many are on.  Then nothing has changed. */
enum err roompresets_switch(struct roompresets *p, struct slice name,
    bool is_on, struct why *why);

#endif
