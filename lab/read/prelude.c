/*
 * One prelude a storage type, behind one beginning.
 *
 * float16 goes through vload_half and vstore_half_rte, which every OpenCL 1.2
 * device has without cl_khr_fp16.  bfloat16 is the upper half of a float32:
 * the store adds half of what is cut off, plus one when the kept part is odd,
 * which rounds to nearest even and overflows into infinity by itself; a NaN
 * is kept a NaN by setting a bit of the part that stays.
 */
#include "lab/read/prelude.h"

/* A function that is inline and not static has no body in another translation
 * unit's eyes (C99 6.7.4), and devices differ in what they make of that:
 * without the word, which only hints, it is a function like any other. */
static const char head[] = "#line 1 \"" PRELUDE_START "\"\n"
                           "#define inline\n"
                           "#define __inline\n"
                           "#define __inline__\n";

static const char *const preludes[DTYPE_NDTYPES] = {
	[DTYPE_F32] = "#define KF_DTYPE 0\n"
	              "#define KF_T float\n"
	              "static inline float\n"
	              "kf_load(const __global float *p, size_t i)\n"
	              "{ return p[i]; }\n"
	              "static inline void\n"
	              "kf_store(__global float *p, size_t i, float v)\n"
	              "{ p[i] = v; }\n" PRELUDE_END,
	[DTYPE_F16] = "#define KF_DTYPE 1\n"
	              "#define KF_T half\n"
	              "static inline float\n"
	              "kf_load(const __global half *p, size_t i)\n"
	              "{ return vload_half(i, p); }\n"
	              "static inline void\n"
	              "kf_store(__global half *p, size_t i, float v)\n"
	              "{ vstore_half_rte(v, i, p); }\n" PRELUDE_END,
	[DTYPE_BF16] = "#define KF_DTYPE 2\n"
	               "#define KF_T ushort\n"
	               "static inline float\n"
	               "kf_load(const __global ushort *p, size_t i)\n"
	               "{ return as_float((uint)p[i] << 16); }\n"
	               "static inline void\n"
	               "kf_store(__global ushort *p, size_t i, float v)\n"
	               "{\n"
	               "	uint u = as_uint(v);\n"
	               "	if ((u & 0x7fffffffu) > 0x7f800000u)\n"
	               "		u |= 0x00400000u;\n"
	               "	else\n"
	               "		u += 0x7fffu + ((u >> 16) & 1u);\n"
	               "	p[i] = (ushort)(u >> 16);\n"
	               "}\n" PRELUDE_END,
};

const char *
prelude_text(enum dtype t)
{
	return preludes[t];
}

const char *
prelude_head(void)
{
	return head;
}
