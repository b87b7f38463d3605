import { pickUpConversations } from '@crewhall/contracts/conversations/jobs.ts'
import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { type PickUpDeps, pickUp } from './pickup.service.ts'

/** Before the limit of the job: that it did not get through is not a failure. */
const roundMs = 540_000

/** What is being read goes on when the job ends, so it has a context of its own. */
export const pickUpJobs = (ctx: OutsideSystemCtx, deps: PickUpDeps) => [
  onJob(pickUpConversations, (_, __, { signal }) =>
    pickUp(ctx, deps, AbortSignal.any([signal, AbortSignal.timeout(roundMs)])),
  ),
]
