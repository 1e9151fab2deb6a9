/*
 * Presets: files of rules in scenarios/presets/, added behind a scenario's
 * own rules by `"preset": NAME` (or a list), or by --preset NAME.
 */
#ifndef CHAOS_PRESET_H
#define CHAOS_PRESET_H

#include "base/err.h"
#include <jansson.h>

/*
 * Appends the rules of each preset that doc["preset"] names to doc["rules"],
 * and takes that member out.
 * The folder is $KF_PRESETS, else scenarios/presets beside the folder of the
 * program, else below the working directory.  ERR_SYNTAX, ERR_NOTFOUND.
 */
enum err preset_expand(json_t *doc, struct why *why);

/* The rules of one, as JSON, owned. */
enum err preset_rules(const char *name, json_t **ret, struct why *why);

/* Appends the names of all that there are, sorted. */
void preset_names(json_t *names);

#endif
