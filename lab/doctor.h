/* What this machine has, beyond what an open lab knows (lab_doctor_json). */
#ifndef LAB_DOCTOR_H
#define LAB_DOCTOR_H

#include "lab/lab.h"

/*
 * Every OpenCL device: an array of platform, name, driver, cpu (only those
 * are used), survives_fork (one that does not is opened anew by each child).
 * Empty: none, or a driver that did not come back within
 * deadline_s.
 */
json_t *lab_devices_json(unsigned deadline_s);

#endif
