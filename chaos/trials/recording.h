/*
 * What the upstreams of a run said, kept so that the run can be played again
 * without them: a folder with a cassette for each proxy that asks one.
 */
#ifndef CHAOS_RECORDING_H
#define CHAOS_RECORDING_H

#include "base/err.h"
#include "chaos/rules/scenario.h"

/* Where the record of a run with this log is: LOG.record.  Owned. */
char *recording_folder(const char *log);

/* Makes every live proxy of s record into the folder, which is made. */
enum err recording_into(struct scenario *s, const char *folder,
    struct why *why);

/*
 * Makes every proxy of s whose answers are in the folder (or, of mode record,
 * in its own cassette) play them instead of asking; *missing counts requests
 * that are not there, unless asks: their upstreams are asked for these.  Returns
 * how many proxies have nothing there and ask for all.
 */
size_t recording_play(struct scenario *s, const char *folder, bool asks,
    size_t *missing);

#endif
