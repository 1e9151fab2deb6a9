/*
 * Auditing a client: COMMAND is run once without a fault and then once for
 * each case of the catalogue, and retry_conduct.h judges what it did.
 */
#ifndef CHAOS_AUDIT_H
#define CHAOS_AUDIT_H

#include "base/opts.h"
#include "chaos/trials/retry_conduct.h"
#include <jansson.h>
#include <stdio.h>

#define AUDIT_BROKEN_MAX 16

/* ---- the catalogue: which faults are tried, with which attributes */

#define AUDIT_READ WORTH_NWORTHS

enum audit_aim {
	AUDIT_FIRST, /* the first attempt of every call: it would pass */
	AUDIT_EVERY, /* every attempt: it does not pass */
	AUDIT_TOXIC, /* on every connection, as a toxic in front of the proxy */
	AUDIT_NAIMS
};

struct audit_case {
	const char *name;       /* what happens, in a few words */
	const char *fault;      /* a row of the fault registry */
	const char *attributes; /* JSON */
	enum audit_aim aim;
	bool is_harmless;  /* every answer stays whole and in time */
	enum worth harm;   /* what a struck client gets; AUDIT_READ: as read */
	const char *right; /* what correct conduct is */
	bool is_silent;    /* nothing is said: a time-out has to end it */
};

#define AUDIT_ID_MAX 64

/* "http_error:503-and-again": the fault and the name, for --case. */
void audit_case_id(const struct audit_case *k, char out[AUDIT_ID_MAX]);
/* Is word in its name, its fault, its id, or "fault: name" as tables say? */
bool audit_case_holds(const struct audit_case *k, const char *word);
size_t audit_case_count(void);
const struct audit_case *audit_case_at(size_t i);

/* ---- an audit */

struct audit_conf {           /* all borrowed */
	char *const *command; /* NULL-terminated */
	const char *upstream; /* a URL; NULL: the stand-in */
	const char *answers;  /* a folder of answers; NULL: none */
	const char *seed;
	const struct opt_list *only;  /* words; empty: every case */
	const struct opt_list *cases; /* ids; empty: every case */
	uint32_t timeout_ms; /* COMMAND can be given one: silent cases are run
	                        once more with it; 0: it cannot */
	const char *folder;  /* where runs leave log and output */
	uint32_t deadline_ms;
	size_t jobs;
};

enum audit_verdict {
	AUDIT_OK,
	AUDIT_BROKEN,
	AUDIT_NOT_REACHED,
	AUDIT_NVERDICTS
};

struct audit_finding {
	const struct retry_conduct_rule *rule;
	char evidence[RETRY_CONDUCT_EVIDENCE_MAX];
};

/* What became of an answer that was not whole, where the program says what
 * its client handed over. */
enum audit_handling {
	AUDIT_UNTOLD,
	AUDIT_RAISED,    /* an error */
	AUDIT_EXPOSED,   /* handed over with another finish reason */
	AUDIT_HIDDEN,    /* handed over as if it were whole */
	AUDIT_RECOVERED, /* asked for again, and got whole */
	AUDIT_NHANDLINGS
};

struct audit_row {
	const struct audit_case *of; /* NULL: the run without a fault */
	uint32_t timeout_ms;         /* it was given one; 0: its own */
	enum audit_handling handling;
	char words[RETRY_CONDUCT_EVIDENCE_MAX]; /* its last, on stderr */
	enum audit_verdict verdict;
	char summary[RETRY_CONDUCT_EVIDENCE_MAX]; /* what happened */
	struct audit_finding broken[AUDIT_BROKEN_MAX];
	size_t nbroken;
	json_t *requests; /* owned: each with its times and outcome */
	json_t *outcome;  /* owned; NULL: it said nothing */
	int exit_code, signal;
	bool was_killed;
	uint64_t took_ms;
	uint64_t waits_us[16]; /* first waits of its own choosing */
	size_t nwaits;
};

struct audit {
	const struct audit_conf *conf; /* borrowed */
	struct audit_row *rows;        /* owned; the clean run first */
	size_t nrows;
	struct audit_row jitter; /* over all rows; of is NULL */
	size_t counts[AUDIT_NVERDICTS];
};

/*
 * Runs it all.  ERR_ENV with the reason when the run without a fault fails:
 * then nothing can be learned.  ERR_STATE: it was interrupted.
 */
enum err audit_run(const struct audit_conf *conf, struct audit *ret,
    struct why *why);
void audit_done(struct audit *a); /* NULL-safe */

/* The worst of a row's findings; 0: none. */
int audit_severity(const struct audit_row *row);

/* ---- reports */

void audit_print(const struct audit *a, FILE *out);
enum err audit_write_junit(const struct audit *a, const char *path,
    struct why *why);
enum err audit_write_json(const struct audit *a, const char *path,
    struct why *why);

#endif
