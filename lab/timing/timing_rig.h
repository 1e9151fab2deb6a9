/*
 * A child on the timing bench: one built kernel, some slots of buffers, one
 * processor.  And the broom that clears the caches between two launches.
 */
#ifndef LAB_TIMING_RIG_H
#define LAB_TIMING_RIG_H

#include "lab/run/child_handle.h"
#include "lab/stages/open_lab.h"
#include <sched.h>

#define RIG_SLOTS 3

struct rig {
	struct lab *lab;             /* borrowed */
	const char *name;            /* for messages: "the plain kernel" */
	struct child_handle *worker; /* owned */
	char *input, *output;        /* its arenas */
};

/* Starts the child and sends the build; await waits for it. */
enum err rig_start(struct rig *r, struct lab *l, const char *name,
    const struct order_build *o, struct why *why);
enum err rig_await(struct rig *r, int cpu, struct why *why);
void rig_stop(struct rig *r); /* a zeroed one too */

/* Arenas for all slots; what they held is lost. */
enum err rig_arenas(struct rig *r, size_t input_bytes, size_t output_bytes,
    struct why *why);

/* Arms a slot: offsets count from the start of the arenas. */
enum err rig_arm(struct rig *r, uint32_t slot, const struct order_launch *o,
    struct why *why);

struct rig_time {
	double parent_ms, device_ms;
	/* Other programs had the processor meanwhile, says the kernel. */
	bool is_disturbed;
};

/* ERR_TIMEOUT, ERR_CLOSED (it died), ERR_ENV (OpenCL said no). */
enum err rig_fire(struct rig *r, uint32_t slot, struct rig_time *ret,
    struct why *why);

struct sweep {
	char *p; /* owned */
	size_t bytes;
	volatile char sum;
};

/* cache_bytes: what must be displaced. */
void sweep_init(struct sweep *s, size_t cache_bytes);
void sweep_caches(struct sweep *s);
void sweep_done(struct sweep *s);
size_t sweep_cache_bytes(void); /* the machine's last-level cache */

/* This process on one processor, and back. */
struct pin {
	cpu_set_t before;
};
void pin_enter(struct pin *p, int cpu);
void pin_leave(const struct pin *p);

#endif
