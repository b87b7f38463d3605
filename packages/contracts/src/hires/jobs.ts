import { z } from 'zod'
import { job } from '../job.ts'
import { Uuid } from '../wire.ts'

/** Builds what a hire consists of, step by step, from where the last attempt came to. */
export const buildHire = job({
  name: 'hires.build',
  payload: z.object({ brand_id: z.int(), hire_id: Uuid }),
})
