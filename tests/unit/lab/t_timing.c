/*
 * Timing for real: who is timed and who is not, and that every plain kernel
 * is what it is measured as, correct.  No time is asserted.
 */
#include "lab/lab.h"
#include "lab/timing/timing.h"

#include "base/digest.h"
#include "lab/read/plain_kernel.h"
#include "tests/unit.h"
#include "tests/unit/lab/kit.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint8_t seed[32] = "plain kernels under a fixed seed";

/* Right wherever the verdict looks at it, wrong from 500 columns on or by
 * launch: these are what a timed launch must not believe. */
#define HEAD                                                                   \
	KIT_ITEM_KERNEL                                                        \
	"	float v = fabs(kf_load(x, r * x_stride + c));\n"

static const struct {
	const char *what, *text;
	enum err want;
} candidates[] = {
	{ "a right one", HEAD "kf_store(out, r * out_stride + c, v); }\n",
	    ERR_OK },
	{ "wrong at one size",
	    HEAD
	    "if (cols == 96) v += 1; kf_store(out, r * out_stride + c, v); }\n",
	    ERR_DENIED },
	{ "not written",
	    HEAD "if (i) kf_store(out, r * out_stride + c, v); }\n",
	    ERR_DENIED },
	/* The buffer holds a poison: how it came is not the launch's to say. */
	{ "another answer each time",
	    HEAD
	    "v += (as_uint(kf_load(out, 0)) & 0x80000000u) ? 0x1p-24f * v : 0;"
	    " kf_store(out, r * out_stride + c, v); }\n",
	    ERR_DENIED },
};

/* A verdict as lab_judge() gives it, for a text that did not earn it. */
static void
forge_verdict(const struct candidate *c, struct lab_report *ret)
{
	*ret = (struct lab_report){ .verdict = LAB_VERIFIED_CORRECT };
	digest_sha256_hex(c->source, strlen(c->source), ret->source_sha256);
}

static void
check_candidates(struct lab *l, const struct lab_machine *m)
{
	const struct op *op = op_find("abs");
	struct op_shape shape = { .rows = 64, .cols = 96 };

	op_close_strides(op, &shape);
	for (size_t i = 0; i < COUNT(candidates); i++) {
		struct lab_timing_request rq = { .op = op,
			.machine = m,
			.seed = seed,
			.shape = &shape };
		struct lab_timing t = { .nsizes = 0 };
		struct candidate c = { 0 };
		static struct lab_report r;
		struct why why = { "" };

		CHECK_INT(candidate_parse_file("k.cl", candidates[i].text,
		              strlen(candidates[i].text), &c, &why),
		    ERR_OK, why.text);
		forge_verdict(&c, &r);
		rq.candidate = &c;
		rq.verdict = &r;
		CHECK_INT(lab_time(l, &rq, &t, &why), candidates[i].want,
		    candidates[i].what);
		CHECK_INT(t.nsizes, candidates[i].want == ERR_OK ? 1 : 0,
		    candidates[i].what);
		if (t.nsizes == 1) {
			CHECK(t.sizes[0].candidate.samples >=
			            LAB_TIMING_SAMPLES &&
			        t.sizes[0].plain.samples >= LAB_TIMING_SAMPLES,
			    "enough samples");
			CHECK_STR(t.sizes[0].shape, "64x96", "its size");
		}
		r.verdict = LAB_VERIFIED_INCORRECT;
		CHECK_INT(lab_time(l, &rq, &t, &why), ERR_STATE, "unverified");
		r.verdict = LAB_VERIFIED_CORRECT;
		r.source_sha256[0] ^= 1;
		CHECK_INT(lab_time(l, &rq, &t, &why), ERR_STATE,
		    "another text's verdict");
		candidate_done(&c);
	}
}

static void
check_plain(struct lab *l)
{
	for (size_t i = 0; i < op_count(); i++) {
		const struct op *op = op_at(i);
		struct lab_request rq = { .op = op,
			.upto = LAB_NSTAGES - 1,
			.seed = seed,
			.nonce = seed };
		struct candidate c = { 0 };
		static struct lab_report r;
		struct why why = { "" };

		if (!CHECK_INT(plain_candidate(op, &c, &why), ERR_OK, why.text))
			continue;
		rq.candidate = &c;
		lab_judge(l, &rq, &r);
		CHECK_STR(lab_verdict_name(r.verdict), "verified_correct",
		    op->name);
		candidate_done(&c);
	}
}

void
t_timing(void)
{
	struct lab_machine m = { 0 };
	struct lab *l;
	struct why why;
	enum err e = lab_open(NULL, &l, &why);

	if (e == ERR_ENV)
		unit_skip(why.text);
	if (!CHECK_INT(e, ERR_OK, why.text))
		return;
	if (CHECK_INT(lab_machine_measure(l, &m, &why), ERR_OK, why.text)) {
		CHECK(m.read_gbs > 0 && isfinite(m.read_gbs), "reads");
		CHECK(m.triad_gbs > 0 && isfinite(m.triad_gbs), "triad");
		CHECK(m.peak_gflops > 0, "peak");
		check_candidates(l, &m);
	}
	check_plain(l);
	lab_close(l);
}
