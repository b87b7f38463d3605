import type { RouteEntry } from './route-entry.ts'

/** What agents do all day, one call each. */
export const workEntries: readonly RouteEntry[] = [
  {
    words: 'next',
    summary: 'Show the most urgent ready card, or claim it and start a run',
    route: 'boards.nextWork',
    omits: ['board_ids'],
    switches: { claim: 'claim it and start a run; without it, only show what would be next' },
    flags: { budget_bytes: 'budget', lease_seconds: 'lease' },
    handler: async () => (await import('./work.ts')).takeNext,
  },
  {
    words: 'context',
    route: 'boards.readContext',
    takes: ['task_id?'],
    flags: { budget_bytes: 'budget' },
    handler: async () => (await import('./work.ts')).showContext,
  },
  {
    words: 'progress',
    summary: 'Tell how far the work is, and keep its claim',
    route: 'boards.changeRun',
    takes: ['card?', 'text?'],
    omits: ['status'],
    handler: async () => (await import('./work.ts')).progress,
  },
  {
    words: 'done',
    summary: 'End the work on a card: it is done',
    route: 'boards.finishRun',
    takes: ['card?', 'text?'],
    fixed: { status: 'succeeded' },
    spreads: 'change',
    omits: ['reason', 'blocked_reason'],
    handler: async () => (await import('./work.ts')).done,
  },
  {
    words: 'block',
    summary: 'End the work on a card: it cannot go on',
    route: 'boards.finishRun',
    takes: ['card?', 'text?'],
    fixed: { status: 'failed' },
    spreads: 'change',
    omits: ['blocked_reason'],
    handler: async () => (await import('./work.ts')).block,
  },
  {
    words: 'card claim',
    route: 'boards.claimCard',
    takes: ['task_id'],
    flags: { lease_seconds: 'lease' },
    handler: async () => (await import('./work.ts')).claim,
  },
  {
    words: 'card release',
    route: 'boards.releaseClaim',
    takes: ['task_id'],
    omits: ['claim_id', 'epoch'],
    destroys: true,
    handler: async () => (await import('./work.ts')).release,
  },
]
