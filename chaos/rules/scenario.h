/*
 * A scenario file: who listens where, what the models answer, which faults
 * happen when, what must hold at the end (docs/chaos.md has the table of
 * fields).  Strict: an unknown key, a wrong type or a value out of range is
 * an error with its JSON pointer.
 *
 * Read once, never changed.  `agent` and `expect` belong to kernelforge;
 * here they only have to be objects.
 */
#ifndef CHAOS_SCENARIO_H
#define CHAOS_SCENARIO_H

#include "base/addr.h"
#include "base/digest.h"
#include "base/err.h"
#include "chaos/rules/fault.h"
#include "chaos/rules/match.h"
#include "chaos/rules/request_key.h"
#include "chaos/rules/seen_keys.h"
#include "chaos/rules/when.h"
#include <jansson.h>
#include <stdbool.h>

#define SCENARIO_PROXIES_MAX 64
#define SCENARIO_PHASES_MAX  32
#define SCENARIO_RULES_MAX   SEEN_KEYS_RULES_MAX
#define RULE_FAULTS_MAX      8

enum proxy_mode {
	PROXY_LIVE,
	PROXY_PASSTHROUGH,
	PROXY_RECORD,
	PROXY_REPLAY,
	PROXY_SCRIPT,
	PROXY_STANDIN,
	PROXY_FORWARD,
	PROXY_NMODES
};

const char *proxy_mode_name(enum proxy_mode m); /* "live", ... */

struct proxy_conf {
	const char *name; /* borrowed, as every string below */
	struct addr listen;
	enum proxy_mode mode;
	const char *upstream;     /* live: URL, HOST:PORT or a bare name;
	        passthrough: the last two */
	char *answers;            /* script: the folder, owned */
	char *cassette;           /* record, replay: the file, owned */
	bool is_fast;             /* replay: without the recorded timing */
	bool loops;               /* replay: from the start again */
	bool has_header_faults;   /* a request may ask for faults itself */
	size_t tool_calls;        /* standin: that it makes; 0: one */
	struct proxy_tls {        /* clients speak TLS to it; NULLs: plain */
		char *cert, *key; /* files, owned */
		char *ca;         /* a folder: a leaf for each name; owned */
	} tls;
	/* forward (chaos/http/forward.h) */
	char *ca;            /* the folder; NULL: the user's; owned */
	const json_t *hosts; /* globs; borrowed */
	bool refuses_others, is_remote;
	/* replay of a run: any attempt will do, and this counts the requests
	 * that were never answered in it; borrowed, NULL: not one. */
	size_t *missing;
	bool asks; /* with missing: they go to the upstream, uncounted */
};

struct phase_conf {
	const char *name;
	uint64_t requests; /* over once a proxy saw so many; 0: not asked */
	uint64_t ms;       /* over so long after the start; 0: not asked */
};

enum goal_count { GOAL_FIRED, GOAL_BYPASSED, GOAL_MATCHED, GOAL_NCOUNTS };
enum goal_test { GOAL_GE, GOAL_LE, GOAL_EQ, GOAL_GT, GOAL_LT, GOAL_NTESTS };

struct goal {
	const char *text; /* NULL: none */
	enum goal_count count;
	enum goal_test test;
	uint64_t n;
};

struct rule {
	const char *id;
	const char *proxy; /* NULL: any */
	int phase;         /* index; -1: any */
	struct match match;
	struct when when;
	struct fault faults[RULE_FAULTS_MAX];
	size_t nfaults;
	struct goal goal;
	bool is_also;         /* later rules may match as well */
	bool acts_on_request; /* decided before the answer is known */
};

struct scenario {
	json_t *doc; /* owned */
	char *dir;   /* owned: the folder of the file */
	const char *name;
	const char *seed;
	char hash[DIGEST_HEX];
	bool is_stealthy;
	struct identity identity;
	int64_t active_max, fires_max, ttl_s;
	struct proxy_conf proxies[SCENARIO_PROXIES_MAX];
	size_t nproxies;
	struct phase_conf phases[SCENARIO_PHASES_MAX];
	size_t nphases;
	struct rule *rules; /* owned */
	size_t nrules;
};

/* ERR_NOTFOUND, ERR_SYNTAX, ERR_RANGE with one line that begins with path. */
enum err scenario_read(const char *path, struct scenario **ret,
    struct why *why);
/* The same with the rules of presets (preset.h); path NULL: only those. */
enum err scenario_read_with(const char *path, const char *const *presets,
    size_t n, struct scenario **ret, struct why *why);
/* From a document, which is taken; dir is where its folders are. */
enum err scenario_of(json_t *doc, const char *dir, struct scenario **ret,
    struct why *why);
void scenario_free(struct scenario *s); /* NULL-safe */

/* scenario_doubts.c: what it says and hardly means; part of the warnings. */
size_t scenario_doubts(const struct scenario *s,
    void (*on_warning)(const char *text, void *arg), void *arg);

/* rules_that_cannot_fire.c: calls on_warning for each rule that can never fire
 * and each phase that is never reached; returns how many. */
size_t scenario_warnings(const struct scenario *s,
    void (*on_warning)(const char *text, void *arg), void *arg);

/* The tables of what a file may say, for api_schema.c; *n rows. */
enum scenario_part {
	SCENARIO_TOP,
	SCENARIO_LIMITS,
	SCENARIO_PROXY,
	SCENARIO_TLS,
	SCENARIO_PHASE,
	SCENARIO_UNTIL,
	SCENARIO_NPARTS
};

const struct jfield *scenario_fields(enum scenario_part part, size_t *n);

#endif
