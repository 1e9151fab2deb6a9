/*
 * What the parts of tcpproxy.h share: the set and a proxy's data
 * (tcpproxy.c), listening and connections (tcpproxy_run.c), toxics
 * (tcpproxy_toxics.c), upstreams that lead back (tcpproxy_circle.c).
 */
#ifndef CHAOS_TCPPROXY_PRIV_H
#define CHAOS_TCPPROXY_PRIV_H

#include "base/digest.h"
#include "base/resolve.h"
#include "chaos/http/delay_error.h"
#include "chaos/tcp/connection_rules.h"
#include "chaos/tcp/link.h"
#include "chaos/tcp/tcpproxy.h"

struct listener;

/* A connection: its upstream's name is asked for, then it is a link. */
struct member {
	TAILQ_ENTRY(member) entry;
	struct tcpproxy *proxy;
	char *key;               /* owned: "NAME/ORDINAL" */
	int fd;                  /* owned until there is a link */
	struct resolve *resolve; /* owned; NULL: not asking */
	struct link *link;       /* owned; NULL: not yet */
	struct connrules *rules; /* owned; NULL: none acts on it */
	int descriptors;         /* that it takes */
};

struct tcpproxy {
	TAILQ_ENTRY(tcpproxy) entry;
	struct tcpset *set;
	char *name, *listen, *upstream; /* owned */
	bool is_started;
	bool is_listed; /* a proxy of the scenario that speaks HTTP itself */
	struct listener *listener; /* owned; NULL: stopped, or refusing */
	struct httpface *face;     /* owned; NULL: bytes only */
	struct toxic_list toxics[TOXIC_NSTREAMS];
	TAILQ_HEAD(, member) members;
	uint64_t connections;
	uint64_t received[TOXIC_NSTREAMS], sent[TOXIC_NSTREAMS];
	struct delay_error late;
};

struct tcpset {
	struct tcpset_conf conf;
	char noise[DIGEST_HEX];    /* the seed when seeds must not work */
	struct event *ttl_timer;   /* owned */
	bool is_asleep;            /* the ttl is over: toxics do nothing */
	struct resolver *resolver; /* owned */
	size_t taken, taken_max;   /* descriptors; taken_max 0: not known yet */
	bool is_full;              /* nobody more is accepted */
	bool told_full;            /* and somebody was told of it */
	TAILQ_HEAD(, tcpproxy) proxies;
};

/* tcpproxy_run.c */
enum err tcpproxy_start(struct tcpproxy *p, struct why *why);
void tcpproxy_stop(struct tcpproxy *p);
/* A started proxy's addresses change, and it drops its connections; it stays
 * as it was when it cannot listen there. */
enum err tcpproxy_move(struct tcpproxy *p, const char *listen,
    const char *upstream, struct why *why);
/* Where to listen, one address. */
enum err tcpproxy_look_up(const char *text, struct resolve_answer *ret,
    struct why *why);
/* What the toxics ask for: a face that is not there yet, a closed port. */
enum err tcpproxy_update_face(struct tcpproxy *p, struct why *why);
void tcpproxy_update_listener(struct tcpproxy *p);

/* HOST:PORT of p's or another upstream, or a name that the command line gave
 * an address; not of a URL. */
enum err tcpproxy_upstream(const struct tcpproxy *p, const char *upstream,
    struct addr *ret);

/* tcpproxy_circle.c: ERR_STATE if p with these addresses would be an upstream
 * of its own, at once or through others that are started. */
enum err tcpproxy_check_circle(const struct tcpproxy *p, const char *listen,
    const char *upstream, struct why *why);

/* tcpproxy_toxics.c */
bool tcpproxy_wants_face(const struct tcpproxy *p);
bool tcpproxy_wants_refusal(const struct tcpproxy *p);

#endif
