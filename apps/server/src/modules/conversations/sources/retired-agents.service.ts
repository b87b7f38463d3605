import type { EventListener } from '#platform/ctx/ctx.ts'
import { pauseSourcesOfAgent } from './sources.store.ts'

const reason = 'The agent was retired'

/** Nothing is written under a retired agent, so nothing needs to be read for it. In the transaction of the retirement. */
export const retirements: EventListener = {
  async happened(ctx, { type, data }) {
    const { subject } = data as { subject?: { id: string } }
    if (type === 'agent.retired' && subject) await pauseSourcesOfAgent(ctx, subject.id, reason)
  },
}
