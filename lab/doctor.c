/*
 * What this machine offers the lab, found by building the control kernel: what
 * a sandbox could close is known only from inside a child, after it has tried.
 */
#include "base/clock.h"
#include "lab/lab.h"
#include "lab/run/sandbox.h"
#include "lab/stages/control_kernel.h"
#include "lab/stages/open_lab.h"

static json_t *
features_json(uint32_t features)
{
	json_t *a = json_array();
	char name[64];

	for (uint32_t bit = 1; bit != 0; bit <<= 1) {
		if (!(features & bit))
			continue;
		sandbox_describe(bit, name, sizeof name);
		if (name[0])
			json_array_append_new(a, json_string(name));
	}
	return a;
}

json_t *
lab_doctor_json(struct lab *l)
{
	uint64_t start_us = clock_mono_us();
	uint32_t features = 0;
	bool ok = control_passes(l, &features);
	double ms = (double)(clock_mono_us() - start_us) / 1e3;

	features |= zygote_features(l->zygote);
	return json_pack("{s:s, s:o, s:o, s:o}", "device", lab_device(l),
	    "sandbox", features_json(features), "sandbox_missing",
	    features_json(~features), "control_ms",
	    ok ? json_real(ms) : json_null());
}
