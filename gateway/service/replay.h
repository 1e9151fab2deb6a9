/*
 * kf-gateway replay LOG --config FILE: what a decision log's requests would
 * meet under another configuration: another target, a refusal, another cost.
 */
#ifndef GATEWAY_REPLAY_H
#define GATEWAY_REPLAY_H

#include "base/err.h"
#include <stdio.h>

/*
 * Prints a line a difference and a summary.  EXIT_DONE when nothing differs,
 * EXIT_JUDGED when something does, EXIT_USAGE with one line on standard
 * error when a file cannot be read.
 */
enum exit_code replay_run(const char *log, const char *config, FILE *out);

#endif
