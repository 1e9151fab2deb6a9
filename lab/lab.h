/*
 * The lab: a candidate's life from text to verdict.
 *
 *	parse -> refuse -> build (sandboxed child) -> smoke -> holdouts -> ...
 *
 * The parent owns seeds, inputs, references and the clock; a child gets
 * kernel text, geometry and inputs, and returns bytes and an exit status.
 * Expected values never exist where candidate code runs.
 */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include "base/err.h"
#include "lab/stages/lab_report.h"
#include "lab/stages/request.h"
#include "lab/stages/seed_commitment.h"

struct lab;

/*
 * Starts the zygote, which warms the device up while the caller goes on: call
 * it early.  It is this program executed anew, so the caller may have threads
 * and secrets.  ERR_ENV: no OpenCL device.
 * A NULL conf means the defaults, as does 0 in a field.
 */
enum err lab_open(const struct lab_conf *conf, struct lab **ret,
    struct why *why);
/*
 * One more of the same conf, which shares what first's compiler has read
 * instead of holding its own 100 MB.  Nobody may use first meanwhile; then
 * each has its own thread, and either may be closed before the other.
 */
enum err lab_open_beside(struct lab *first, struct lab **ret, struct why *why);
void lab_close(struct lab *l);               /* kills what runs; NULL-safe */
const char *lab_device(const struct lab *l); /* "PoCL ... / cpu-..." */

/* The device and the sandbox features of this machine, for `kernelforge
 * doctor`: an object with device, sandbox and sandbox_missing (arrays).
 * Builds and runs the control kernel; its milliseconds are control_ms, null
 * when it fails. */
json_t *lab_doctor_json(struct lab *l);

/* Always fills *ret: what goes wrong is a verdict. */
void lab_judge(struct lab *l, const struct lab_request *rq,
    struct lab_report *ret);

#endif
