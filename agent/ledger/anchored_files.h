/*
 * The anchors of a run directory: what every file of it was when the run
 * ended, kept in run.json.
 *
 *	journals  NAME to the number of lines and the hash of the last one
 *	files     NAME to SHA-256: kernels/..., trace.jsonl, gateway.jsonl
 *	late      whether the logs of proxy and gateway are among them
 *
 * What is still written when the run ends (the logs of proxy and gateway)
 * is anchored by the first report after they ended.  The anchors prove that
 * nobody changed a file by mistake or by half; who can rewrite every file and
 * run.json too has made another run (docs/ledger.md).
 */
#ifndef AGENT_ANCHORED_FILES_H
#define AGENT_ANCHORED_FILES_H

#include <jansson.h>
#include <stdbool.h>

/* What is there now, as an object.  late: also what is anchored late. */
json_t *anchor_make(const char *dir, bool late);

/* Appends to problems (strings) whatever is not as the anchors say. */
void anchor_check(const char *dir, json_t *anchors, json_t *problems);

/* Were the first lines of every anchored journal left as they were?  Appends
 * to problems; for who goes on with a run. */
void anchor_check_start(const char *dir, json_t *anchors, json_t *problems);

/* Forgets what is anchored late: who goes on with a run starts proxy and
 * gateway first, and they write to their logs again. */
void anchor_drop_late(json_t *anchors);

#endif
