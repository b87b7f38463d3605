import { sweepKeys } from '#platform/idempotency/statements.ts'
import type { Sweep } from '#platform/jobs/sweep.ts'

export const keysSweep: Sweep = {
  table: 'platform.idempotency_keys',
  bite: (ctx, limit) => ctx.overBrands().db.run(sweepKeys, { limit }),
}
