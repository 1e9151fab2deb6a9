/*
 * The catalogue of the audit against the registry of faults.
 */
#include "chaos/trials/audit.h"

#include <string.h>

#include "chaos/rules/fault.h"
#include "tests/unit.h"

static void
check_case(const struct audit_case *k)
{
	const struct fault_type *type = fault_type_find(k->fault);
	json_t *v = json_loads(k->attributes, 0, NULL);
	struct fault f = { .type = NULL };
	struct why why = { "" };

	if (CHECK(type != NULL, k->fault) && CHECK(v != NULL, k->name) &&
	    CHECK(fault_read_attributes(type, v, "", &f, &why) == ERR_OK,
	        why.text))
		fault_done(&f);
	CHECK(type &&
	        (k->aim == AUDIT_TOXIC ? type->toxic != NULL
	                               : type->on_request || type->on_answer),
	    k->name);
	CHECK(k->right[0] && strlen(k->name) <= 34, k->name);
	json_decref(v);
}

/* Ids are written into scripts: each names one case, whole. */
static void
check_ids(void)
{
	char id[AUDIT_ID_MAX], other[AUDIT_ID_MAX];

	for (size_t i = 0; i < audit_case_count(); i++) {
		audit_case_id(audit_case_at(i), id);
		CHECK(strlen(id) + 1 < AUDIT_ID_MAX, id);
		for (size_t k = 0; k < i; k++) {
			audit_case_id(audit_case_at(k), other);
			CHECK(strcmp(id, other) != 0, id);
		}
	}
}

static bool
has_case(const char *fault)
{
	for (size_t i = 0; i < audit_case_count(); i++)
		if (strcmp(audit_case_at(i)->fault, fault) == 0)
			return true;
	return false;
}

void t_audit(void);

void
t_audit(void)
{
	for (size_t i = 0; i < audit_case_count(); i++) {
		const struct audit_case *k = audit_case_at(i);

		check_case(k);
		if (i > 0)
			CHECK(strcmp(audit_case_at(i - 1)->fault, k->fault) <=
			        0,
			    "the catalogue is sorted by fault");
	}
	check_ids();
	/* A row in audit_cases.c; its clients speak no WebSocket. */
	for (size_t i = 0; i < fault_type_count(); i++)
		CHECK(fault_type_at(i)->is_websocket ||
		        has_case(fault_type_at(i)->name),
		    fault_type_at(i)->name);
}
