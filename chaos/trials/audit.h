/*
 * Auditing a client: COMMAND is run once without a fault and then once for
 * each case of the catalogue, and, where it can resume, once for each request
 * as which it is killed; conduct.h judges what it did.
 */
#ifndef CHAOS_AUDIT_H
#define CHAOS_AUDIT_H

#include "base/addr.h"
#include "base/opts.h"
#include "chaos/trials/conduct.h"
#include <jansson.h>
#include <stdio.h>

#define AUDIT_BROKEN_MAX 16
#define AUDIT_TURNS_MAX  50 /* tool calls beyond those of a clean run */

/* What a run may take beyond a clean one, if nothing else is said. */
#define AUDIT_DEADLINE_MS 20000

/* ---- the catalogue: which faults are tried, with which attributes */

#define AUDIT_READ WORTH_NWORTHS

enum audit_aim {
	AUDIT_FIRST, /* the first attempt of every call: it would pass */
	AUDIT_EVERY, /* every attempt: it does not pass */
	AUDIT_TOXIC, /* on every connection, as a toxic in front of the proxy */
	AUDIT_NAIMS
};

/* How a client can know of it. */
enum audit_sign {
	AUDIT_SEEN,
	AUDIT_SILENT, /* nothing is said: a time-out has to end it */
	AUDIT_UNSEEN, /* nothing on the wire tells that it is not meant */
	AUDIT_NSIGNS
};

struct audit_case {
	const char *name;       /* what happens, in a few words */
	const char *fault;      /* a row of the fault registry */
	const char *attributes; /* JSON */
	enum audit_aim aim;
	bool is_harmless;  /* every answer stays whole and in time */
	enum worth harm;   /* what a struck client gets; AUDIT_READ: as read */
	const char *right; /* what correct conduct is */
	enum audit_sign sign;
};

#define AUDIT_ID_MAX 64

/* "http_error:503-and-again": the fault and the name, for --case. */
void audit_case_id(const struct audit_case *k, char out[AUDIT_ID_MAX]);
/* Is word in its name, its fault, its id, or "fault: name" as tables say? */
bool audit_case_holds(const struct audit_case *k, const char *word);
/* A run that is killed as that request comes, by the same two names. */
#define AUDIT_CRASHES_MAX 16 /* requests as which one is, at most */
void audit_crash_id(uint64_t request, char out[AUDIT_ID_MAX]);
void audit_crash_label(uint64_t request, char out[AUDIT_ID_MAX]);
bool audit_crash_holds(uint64_t request, const char *word);
/* "crash:request-2": the number; 0: it is the id of no crash. */
uint64_t audit_crash_of(const char *id);
size_t audit_case_count(void);
const struct audit_case *audit_case_at(size_t i);

/* ---- an audit */

/* How much COMMAND looks at by itself before it says that all is well; it is
 * told by KF_CHAOS_CHECK. */
extern const char *const audit_check_names[]; /* NULL last */

/* COMMAND is judged as an MCP client: only what means something there is tried,
 * on tool calls alone. */
enum audit_mcp { AUDIT_NO_MCP, AUDIT_MCP_HTTP, AUDIT_MCP_STDIO, AUDIT_NMCPS };

extern const char *const audit_mcp_names[AUDIT_NMCPS + 1]; /* NULL last */

struct audit_conf {           /* all borrowed */
	char *const *command; /* NULL-terminated */
	const char *upstream; /* a URL; NULL: the stand-in */
	const char *answers;  /* a folder of answers; NULL: none */
	const char *seed;
	const struct opt_list *only;  /* words; empty: every case */
	const struct opt_list *cases; /* ids; empty: every case */
	uint32_t timeout_ms; /* COMMAND can be given one: silent cases are run
	                        once more with it; 0: it cannot */
	const struct opt_list *checks; /* each case is run for each of these;
	                                  empty: once, without a word */
	const char *warm_up; /* a command that is run before everything, and
	                        judged by its exit code alone; NULL: none */
	const char *state;   /* a command that looks at what a run has left, as
	                        client_trial_conf has it; NULL: none */
	const struct addr *room; /* a control room that is told of each step;
	                            NULL: none */
	const char *token;       /* for it; NULL: none */
	const char *folder;      /* where runs leave log and output */
	size_t tool_calls;       /* that the stand-in makes; 0: one */
	int64_t turn;            /* the one that is struck; 0: every one */
	size_t turns_max;        /* AUDIT_TURNS_MAX, or as told */
	enum audit_mcp mcp;
	bool resumes; /* COMMAND can be killed and begun again */
	uint32_t deadline_ms;
	size_t jobs;
};

enum audit_verdict {
	AUDIT_OK,
	AUDIT_BROKEN,
	AUDIT_NOT_REACHED,
	AUDIT_NOT_RUN, /* it was interrupted before */
	AUDIT_NVERDICTS
};

struct audit_finding {
	const struct conduct_rule *rule;
	char evidence[CONDUCT_EVIDENCE_MAX];
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
	const struct audit_case *of; /* NULL: no fault */
	uint64_t crash_at;           /* killed as this request came; 0: not */
	uint32_t timeout_ms;         /* it was given one; 0: its own */
	const char *check;           /* what it was told to; NULL: nothing */
	enum audit_handling handling;
	char words[CONDUCT_EVIDENCE_MAX]; /* its last, on stderr */
	enum audit_verdict verdict;
	char summary[CONDUCT_EVIDENCE_MAX]; /* what happened */
	struct audit_finding broken[AUDIT_BROKEN_MAX];
	size_t nbroken;
	json_t *requests; /* owned: each with its times and outcome */
	json_t *outcome;  /* owned; NULL: it said nothing */
	json_t *effects;  /* owned: what was done (effects.h) */
	int exit_code, signal;
	bool was_killed;
	uint64_t took_ms, start_ms; /* start: until its first request */
	uint64_t waits_us[16];      /* first waits of its own choosing */
	size_t nwaits;
};

/* What is normal: of the run without a fault. */
struct audit_norm {
	size_t requests, tool_calls, good[CONDUCT_NKINDS];
	json_t *outcome, *effects; /* owned; outcome NULL: it says nothing */
	/* From the first request on, more for one that is slow by itself; and
	 * until then. */
	uint32_t deadline_ms, start_max_ms;
};

struct audit {
	struct audit_norm norm;
	const struct audit_conf *conf; /* borrowed */
	struct audit_row *rows;        /* owned; the clean run first */
	size_t nrows;
	struct audit_row jitter; /* over all rows; of is NULL */
	size_t counts[AUDIT_NVERDICTS];
	int interrupted_by; /* a signal; 0: it came to its end */
};

/*
 * Runs it all.  ERR_ENV with the reason when the run without a fault fails:
 * then nothing can be learned.  A signal ends it early: what was judged until
 * then is kept.
 */
enum err audit_run(const struct audit_conf *conf, struct audit *ret,
    struct why *why);
void audit_done(struct audit *a); /* NULL-safe */

/* ---- judging (audit_judge.c) */

struct client_trial_result;

/* Answers that call a tool, beyond which a run went on for ever. */
size_t audit_tool_calls_max(const struct audit *a);

/* Of a row that has of, crash_at and timeout_ms: all else. */
void audit_judge(const struct audit *a, struct audit_row *row,
    const struct client_trial_result *t);
/* Over all rows: fills a->jitter. */
void audit_judge_jitter(struct audit *a);

/* The worst of a row's findings, the first of equals; NULL: none. */
const struct audit_finding *audit_worst(const struct audit_row *row);
/* How bad that one is; 0: there is none. */
int audit_severity(const struct audit_row *row);

/* ---- reports */

/* "http_error: 503, a time-out set, bare": as tables call it. */
void audit_row_name(const struct audit *a, const struct audit_row *row,
    char *out, size_t size);
const char *audit_verdict_word(enum audit_verdict v); /* "not_reached" */

void audit_print(const struct audit *a, FILE *out);
enum err audit_write_junit(const struct audit *a, const char *path,
    struct why *why);
enum err audit_write_json(const struct audit *a, const char *path,
    struct why *why);

#endif
