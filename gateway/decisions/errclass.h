/*
 * What a provider's error means, whoever the provider is: from its status,
 * its code or type, and what it says.  The status alone does not tell a
 * request that is too long for this model from one that is wrong, nor "slow
 * down" from "you have no money left".
 *
 * Pure.
 */
#ifndef GATEWAY_ERRCLASS_H
#define GATEWAY_ERRCLASS_H

#include "base/slice.h"

enum errclass {
	ERRCLASS_NONE, /* the status says all that is known */
	ERRCLASS_CONTEXT,
	ERRCLASS_POLICY,
	ERRCLASS_QUOTA,
	ERRCLASS_OVERLOAD,
	ERRCLASS_NCLASSES
};

/* body: as it came, JSON or not. */
enum errclass errclass_of(int status, struct slice body);

#endif
