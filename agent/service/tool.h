/*
 * The tools of the kernel lab: a row each in tools.c, and a function that
 * turns arguments into a result that meets its output schema.
 *
 * Whoever calls is a model, so a result says what the agent's own feedback
 * says: the first failing case's public name, its storage type, the size of
 * the difference; never an input, an expected value, a shape of a holdout or a
 * seed.
 */
#ifndef AGENT_SERVICE_TOOL_H
#define AGENT_SERVICE_TOOL_H

#include "base/err.h"
#include "base/jfield.h"
#include <stdbool.h>

#define MCP_TOOL_ARGS_MAX 8

/* What a tool can be told; each tool has rows for what it takes.  Strings are
 * borrowed from the arguments. */
struct mcp_tool_args {
	const char *op, *source, *entry, *seed, *nonce, *size, *run;
	json_t *global_size, *local_size;
};

struct mcp_tool_arg {
	struct jfield field; /* into struct mcp_tool_args */
	const char *about;
};

/* What a tool stands on while it runs. */
struct mcp_tool_ground {
	const char *runs;   /* where get_ledger finds runs; NULL: nowhere */
	const char *device; /* as struct lab_conf */
	/* Told how far it is: done grows.  total 0: not known. */
	void (*on_progress)(unsigned done, unsigned total, const char *text,
	    void *arg);
	void *arg;
};

struct mcp_tool {
	const char *name, *title, *about;
	const struct mcp_tool_arg *args;
	size_t nargs;
	const char *output; /* JSON schema of the result */
	bool is_long;       /* runs children and takes seconds */
	bool is_alone;      /* measures: nothing else of ours runs meanwhile */
	/* The result, owned; NULL: one clear line in *why. */
	json_t *(*run)(const struct mcp_tool_ground *g,
	    const struct mcp_tool_args *a, json_t *json, struct why *why);
};

/* In the order of a listing, which never changes. */
size_t mcp_tool_count(void);
const struct mcp_tool *mcp_tool_at(size_t i);
const struct mcp_tool *mcp_tool_find(const char *name); /* NULL: unknown */

/* Checks arguments (NULL: none) by the tool's rows.  ERR_SYNTAX, ERR_RANGE. */
enum err mcp_tool_read_args(const struct mcp_tool *t, json_t *arguments,
    struct mcp_tool_args *ret, struct why *why);

/* name, title, description, inputSchema, outputSchema, annotations; owned. */
json_t *mcp_tool_json(const struct mcp_tool *t);

/* Runs it: content and structuredContent, or isError and the line; secrets of
 * this process are masked in both.  Owned. */
json_t *mcp_tool_call(const struct mcp_tool *t, const struct mcp_tool_ground *g,
    json_t *arguments);
/* A result that is an error, with that line; owned. */
json_t *mcp_tool_error(const char *text);

#endif
