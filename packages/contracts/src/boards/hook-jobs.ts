import { z } from 'zod'
import { job } from '../job.ts'
import { Uuid } from '../wire.ts'

/** What was told: the state of a pull request, pushes to a branch, commits that name cards, or checks of a commit. */
const FollowedDelivery = z.object({
  brand_id: z.int(),
  hook_id: Uuid,
  number: z.int().optional(),
  branch: z.string().optional(),
  sha: z.string().optional(),
  card_ids: z.array(Uuid).optional(),
})
export type FollowedDelivery = z.infer<typeof FollowedDelivery>

/** Brings cards in line with what a repository has told. It reads the newest state, so running twice changes nothing. */
export const followDelivery = job({
  name: 'boards.follow-delivery',
  payload: FollowedDelivery,
  retry_seconds: [5, 30, 300, 600, 1800, 7200],
})

/** After a rotation of the installation's key, moves the secrets of hooks to the new one. */
export const resealHooks = job({
  name: 'boards.reseal-hooks',
  payload: z.object({}),
  cron: '51 * * * *',
})
