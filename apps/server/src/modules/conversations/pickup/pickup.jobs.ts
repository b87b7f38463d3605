import { pickUpConversations } from '@crewhall/contracts/conversations/jobs.ts'
import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { type ReadSourcesDeps, readSources } from '../reading/read-sources.service.ts'
import { type PickUpDeps, pickUp } from './pickup.service.ts'

/** Before the limit of the job: that it did not get through is not a failure. */
const roundMs = 540_000
/** What is found by then has time to be read by the model. */
const fetchMs = 240_000

/** What is being read goes on when the job ends, so it has a context of its own. */
export const pickUpJobs = (ctx: OutsideSystemCtx, deps: PickUpDeps, sources: ReadSourcesDeps) => [
  onJob(pickUpConversations, async (_, __, { signal }) => {
    const round = AbortSignal.any([signal, AbortSignal.timeout(roundMs)])
    const fetching = AbortSignal.any([round, AbortSignal.timeout(fetchMs)])
    await pickUp(ctx, deps, (found) => readSources(ctx, sources, found, fetching), round)
  }),
]
