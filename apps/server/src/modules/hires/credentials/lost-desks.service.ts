import { forgetDesk } from '@crewhall/contracts/hires/jobs.ts'
import type { EventListener } from '#platform/ctx/ctx.ts'

const losses: ReadonlySet<string> = new Set(['desk.released', 'desk.quarantined'])

/** By a job, because whoever releases a desk holds its row, and tokens are locked before anything of a hire. */
export const lostDesks: EventListener = {
  async happened(ctx, events) {
    const lost = events.filter(({ type }) => losses.has(type))
    const subjects = lost.map(({ data }) => (data as { subject: { id: string } }).subject)
    const brand_id = ctx.brandId
    await ctx.db.inOrder(subjects.map(({ id: desk_id }) => ctx.enqueue(forgetDesk, { brand_id, desk_id })))
  },
}
