import type { EventListener } from '#platform/ctx/ctx.ts'
import { pauseSourcesOfAgent } from './sources.store.ts'

const reason = 'The agent was retired'

/** Nothing is written under a retired agent, so nothing needs to be read for it. In the transaction of the retirement. */
export const retirements: EventListener = {
  async happened(ctx, events) {
    const retired = events.filter(({ type }) => type === 'agent.retired')
    const subjects = retired.map(({ data }) => (data as { subject: { id: string } }).subject)
    await ctx.db.inOrder(subjects.map(({ id }) => pauseSourcesOfAgent(ctx, id, reason)))
  },
}
