import { sweepAnswers } from '@crewhall/contracts/jobs.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import { sweepKeptAnswers } from '#platform/kept-answers/statements.ts'

const limit = 5000

/** Small bites: no statement of it holds a lock for long. */
export const sweepAnswersJob = onJob(sweepAnswers, async (ctx) => {
  const { db } = ctx.overBrands()
  while ((await db.run(sweepKeptAnswers, { limit })) === limit) await ctx.step('answers.sweep')
})
