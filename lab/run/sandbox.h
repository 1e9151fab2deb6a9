/*
 * What a lab child may still do.  Three steps, each only ever tightening:
 *
 *	sandbox_for_build()	before the candidate's text meets the compiler
 *	sandbox_for_run()	before what was compiled is loaded
 *	sandbox_seal()		before it is called
 *
 * Between the first two, PoCL may execute the linker.  After the second
 * nothing can be executed, forked, written to a file, sent anywhere or
 * signalled but the process itself; after the third nothing can be opened, and
 * no memory becomes executable.
 * A feature that the machine lacks is reported and the rest still applies.
 */
#ifndef LAB_SANDBOX_H
#define LAB_SANDBOX_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sandbox_feature {
	SANDBOX_RLIMITS = 1 << 0,
	SANDBOX_NETNS = 1 << 1,
	SANDBOX_LANDLOCK = 1 << 2,
	SANDBOX_SECCOMP = 1 << 3,
	/* No capability is left, and root is somebody else. */
	SANDBOX_POWERLESS = 1 << 4,
	/* What a compiler made is read before it is loaded: late_loading.h. */
	SANDBOX_OBJECTS = 1 << 5,
};

struct sandbox_limits {
	uint32_t cpu_s;         /* of the whole child */
	uint64_t address_bytes; /* more than it already uses */
	uint64_t file_bytes;
};

/*
 * Leaves the network for an empty namespace, for this process and all it
 * forks; called once, in the zygote.  SANDBOX_NETNS, or 0 where the machine
 * does not permit it.
 */
uint32_t sandbox_isolate(void);

/*
 * The working folder is the one place where files may be written.  With
 * is_replay not even the linker can be executed.  *ret gets the feature bits
 * in force.  ERR_ENV: not even resource limits work.
 */
enum err sandbox_for_build(const struct sandbox_limits *limits, bool is_replay,
    uint32_t *ret, struct why *why);

/* ERR_ENV: seccomp was in force and could not be tightened. */
enum err sandbox_for_run(uint32_t features, struct why *why);
enum err sandbox_seal(uint32_t features, struct why *why);

/*
 * For a tool of ours that reads hostile text: the same limits as a build, and
 * the one program at path may be executed.  The caller executes it next.
 */
enum err sandbox_for_tool(const struct sandbox_limits *limits, const char *path,
    struct why *why);

/* "rlimits, netns, ...", or what is missing of them. */
void sandbox_describe(uint32_t features, char *out, size_t size);
void sandbox_missing(uint32_t features, char *out, size_t size);

#endif
