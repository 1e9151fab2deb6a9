/*
 * Everything that is derived from a run directory: fingerprint, scorecard,
 * final answer, report page.  `run` ends with it and `report DIR` does it
 * again; both read the directory and nothing else.
 */
#ifndef AGENT_RUN_REPORT_H
#define AGENT_RUN_REPORT_H

#include "agent/ledger/ledger.h"
#include "agent/ledger/op_standing.h"
#include "agent/telling/scorecard.h"
#include "base/digest.h"
#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>

#define RUN_REPORT_STATUS_MAX 256
/* What is wrong, in a line: as much of it is shown. */
#define RUN_REPORT_LINE_CHARS 240

enum run_report_mode {
	RUN_REPORT_ENDING, /* by the run itself: it makes the anchors */
	RUN_REPORT_CHECK,  /* by anybody later: everything is compared with them
	                    */
	RUN_REPORT_LOOK,   /* the same for who only shows it: that a run did not
	                      end, and what follows from that, is no problem */
	RUN_REPORT_REMAINS, /* of a run without a run.json that can be read: its
	                       operators are those that its journals name */
};

/* A hash-chained file of the directory and how it stands. */
struct run_report_chain {
	bool present, sound, closed;
	bool is_torn; /* sound but for its last line, which was cut off */
	size_t lines;
	char status[RUN_REPORT_STATUS_MAX]; /* one line for people, cleaned */
};

struct run_report {
	enum run_report_mode mode;
	char *dir;   /* owned, as all below */
	json_t *run; /* run.json */
	struct ledger *ledger;
	struct standings standings;
	struct scorecard scorecard;
	json_t *naive;   /* array of lines */
	json_t *chaos;   /* array of lines */
	json_t *records; /* object of "OP/TRY" to kernels/OP/TRY.json */
	json_t *trace;   /* array of spans, as far as they can be read */
	json_t *gateway; /* array of decisions, likewise: neither is chained */
	struct run_report_chain ledger_chain, naive_chain, chaos_chain;
	char fingerprint[DIGEST_HEX];
	char chaos_run_hash[DIGEST_HEX]; /* "" without a sound chaos.jsonl */
	char *answer;
	json_t
	    *problems;   /* array of strings: what does not hold; not cleaned */
	json_t *foreign; /* array of names: derived files that another build of
	                    the program wrote, whose words are not compared */
};

/*
 * ERR_NOTFOUND: no run.json; ERR_SYNTAX: run.json cannot be read.  A file that
 * was changed, a ledger that does not hold or was not closed are no errors:
 * they are problems, which every rendering then says first.
 */
enum err run_report_load(const char *dir, enum run_report_mode mode,
    struct run_report **ret, struct why *why);
void run_report_free(struct run_report *r); /* NULL-safe */

/* A reason that begins with the path of a file of dir, without dir; borrowed
 * from reason. */
const char *run_report_within(const char *dir, const char *reason);

/*
 * scorecard.json, scorecard.md, summary.txt, report.html, and run.json
 * completed; but run.json stays as it is when there are problems, so that no
 * report makes a changed file good.
 */
enum err run_report_write(struct run_report *r, struct why *why);

/*
 * Which of the derived files are there and not what would be written now.  Of
 * a run by another build they have to be what that build left, by their hash
 * in run.json, and are put on r->foreign; of a version that left no hashes
 * nobody can tell.  None of a run that does not hold.
 */
void run_report_check_files(struct run_report *r, json_t *problems);
/* Adds those, and the ones that are gone, to the run's problems. */
void run_report_check_all_files(struct run_report *r);

/* "0.2.0, build 0123456789abcdef", owned: which program made the run, when it
 * is not this one; NULL: it is, or run.json does not say. */
char *run_report_other_build(const struct run_report *r);

/* Takes away what an earlier report derived from a run that cannot be read any
 * more; each file is said. */
void run_report_withdraw(const char *dir);

/* How a run ends: by its stated expectations (checks), by the ledger where
 * none was stated, 3 where the lab could not tell the truth of a claim. */
int run_report_exit(const struct run_report *r, json_t *checks);

/* Both scorecards and the final answer, to standard output. */
void run_report_print(const struct run_report *r);
/* The problems, a line each, to standard error. */
void run_report_say_problems(const struct run_report *r);

/* A run that is used only if all of it holds.  ERR_STATE: it does not; its
 * problems were said, and so nothing is `use` ("compared"). */
enum err run_report_load_sound(const char *dir, const char *use,
    struct run_report **ret, struct why *why);

#endif
