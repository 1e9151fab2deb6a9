/*
 * The scenario file as a JSON Schema (draft 7), for editors.  It walks the
 * same tables as the parser: top level, identity, limits, proxies, phases,
 * rules, match, the kinds of `when`, and every fault with its attributes.
 *
 * What a schema cannot say, and `kf-chaos check` does: that names (of a
 * proxy, a phase, a rule, a preset) exist and are not given twice, that all
 * phases but the last have an end and come in order, that numbers of one
 * object fit each other (burst len, every len), that no key is there twice,
 * and that 1.0 is no integer.
 */
#ifndef CHAOS_SCENARIO_SCHEMA_H
#define CHAOS_SCENARIO_SCHEMA_H

#include <jansson.h>

json_t *scenario_schema_new(void); /* new */

#endif
