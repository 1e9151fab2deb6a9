/*
 * Asking a model, as a run does it: what ends a question is the model
 * client's business (model.h), what ends the run is decided here.
 */
#ifndef AGENT_STOP_ASKING_H
#define AGENT_STOP_ASKING_H

#include "agent/model/model.h"
#include "agent/run/run.h"

/* Does it say something about the answer, and nothing about the way to it? */
bool failure_is_models_own(const char *class);

/*
 * ERR_OK with *ret_failed false: *ret is filled (model_answer_done).  ERR_OK
 * with *ret_failed true: this question failed, *failure says how, others may
 * do better.  *ret_spent is what it cost, owned.  ERR_ENV: none will, *why says
 * so: nobody answers, the key is refused, or the model failed again after the
 * pause of its breaker.  ERR_CLOSED: the run was asked to stop, or a budget of
 * the run is used up.  ERR_IO: what it uses cannot be kept, so it is not asked.
 */
enum err ask_model(struct run *run, struct model_question *q,
    struct model_answer *ret, struct model_failure *failure, json_t **ret_spent,
    bool *ret_failed, struct why *why);

#endif
