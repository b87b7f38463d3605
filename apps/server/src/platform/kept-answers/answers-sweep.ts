import type { Sweep } from '#platform/jobs/sweep.ts'
import { sweepKeptAnswers } from '#platform/kept-answers/statements.ts'

export const answersSweep: Sweep = {
  table: 'platform.kept_answers',
  bite: (ctx, limit) => ctx.overBrands().db.run(sweepKeptAnswers, { limit }),
}
