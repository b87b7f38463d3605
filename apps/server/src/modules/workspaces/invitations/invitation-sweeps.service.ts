import type { Sweep } from '#platform/jobs/sweep.ts'
import { deleteClosed } from './invitations.store.ts'

/** How long after its end an invitation may still be asked about. */
const days = 90

export const invitationSweeps: readonly Sweep[] = [
  { table: 'workspaces.invitations', bite: (ctx, limit) => deleteClosed(ctx, { limit, days }) },
]
