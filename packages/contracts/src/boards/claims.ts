import { z } from 'zod'
import { refusal, refusalOf } from '../refusal.ts'
import { route } from '../route.ts'
import { pageLimit, Timestamp, text, Uuid } from '../wire.ts'
import { boardFamily, inBoard } from './boards.ts'
import { Actor, cardTaskTypes, SummaryCard } from './card-fields.ts'
import * as refused from './refusals.ts'

interface Holding {
  readonly holder: Actor | null
  readonly expires_at: string | null
  readonly epoch: number
}
export const alreadyClaimed = refusalOf(409, 'Somebody else holds the card', (holding: Holding) => ({
  error: 'already_claimed',
  message: `${holding.holder?.name ?? 'Somebody else'} works on this card`,
  ...holding,
}))
/** A write of somebody whose lease has ended meanwhile, or went to another one. */
export const claimLost = refusalOf(409, 'The claim is not held any more', (holding: Holding) => ({
  error: 'claim_lost',
  message: 'The claim is not held any more; read the card again',
  ...holding,
}))
export const notClaimable = refusal(409, 'This card is over or blocked')

export const Claim = z
  .object({ claim_id: Uuid, task_id: Uuid, epoch: z.int(), expires_at: Timestamp, holder: Actor })
  .meta({ id: 'Claim' })
export type Claim = z.infer<typeof Claim>

const lease_seconds = z.int().min(30).max(3600).default(900)
/** Tells agents apart that share one token. */
const worker = text(1, 100).optional()
/**
 * A name that the caller made for the process that will hold the card; `worker` does for one that has no other. The
 * same process may ask again and gets the claim it has; another one of the same agent is refused.
 */
const process = text(1, 100).optional()
/** What a claim gave out; it lets nobody else's write through. */
const held = { claim_id: Uuid, epoch: z.int().min(1) }

const ofCard = {
  ...boardFamily,
  params: z.object({ task_id: Uuid }),
  resources: { task_id: 'card' },
  missing: refused.cardNotFound,
} as const
const heldResources = { task_id: 'card', 'body.claim_id': 'claim' } as const

export const claimCard = route({
  ...ofCard,
  id: 'boards.claimCard',
  method: 'POST',
  path: '/api/v1/board/tasks/{task_id}/claim',
  summary: 'Takes a card for a time; the process that holds it already keeps it for longer',
  description:
    'The claim ends when the lease runs out, unless a heartbeat renews it. A card that somebody else holds is refused with 409, and so is another process of the same agent: name yours with `process` or `worker`.',
  example: { body: { lease_seconds: 300, process: 'host-1:4711' } },
  body: z.object({ lease_seconds, worker, process }).default({ lease_seconds: 900 }),
  responses: { 200: Claim },
  refusals: [refused.cardNotFound, refused.boardArchived, refused.cardArchived, alreadyClaimed, notClaimable],
})

export const claimNext = route({
  ...inBoard,
  id: 'boards.claimNext',
  method: 'POST',
  path: '/api/v1/board/boards/{board_id}/tasks/claim-next',
  summary: 'Takes the first card of a board that is ready; null when none is',
  description:
    'For agents that ask for work. Two callers never get the same card. Keep `claim_id` and `epoch` from the answer: heartbeat, release and writes of the worker carry them.',
  example: { body: { lease_seconds: 300 } },
  body: z
    .object({ lease_seconds, worker, process, task_type: z.enum(cardTaskTypes).optional() })
    .default({ lease_seconds: 900 }),
  responses: { 200: z.object({ claim: Claim.nullable(), task: SummaryCard.nullable() }) },
  refusals: [refused.boardNotFound, refused.boardArchived],
})

export const extendClaim = route({
  ...ofCard,
  id: 'boards.extendClaim',
  method: 'POST',
  path: '/api/v1/board/tasks/{task_id}/heartbeat',
  summary: 'Says that the work goes on; the lease begins anew',
  description:
    'Send it well before the lease runs out, for example every third of it. 409 means that the claim was lost: stop working on the card.',
  example: { body: { claim_id: '7d3f1c5a-2b4e-4f60-8a91-0c2d3e4f5a6b', epoch: 1, lease_seconds: 300 } },
  body: z.object({ ...held, lease_seconds }),
  resources: heldResources,
  responses: { 200: Claim },
  refusals: [refused.cardNotFound, refused.boardArchived, claimLost],
})

export const releaseClaim = route({
  ...ofCard,
  id: 'boards.releaseClaim',
  method: 'POST',
  path: '/api/v1/board/tasks/{task_id}/release',
  summary: 'Gives a card back, or takes it away from whoever holds it; the epoch rises',
  description:
    'Others can claim the card at once, and runs of the claim that have not ended are lost. A member may take a claim away, which the activity feed tells; another agent may not.',
  example: { body: { claim_id: '7d3f1c5a-2b4e-4f60-8a91-0c2d3e4f5a6b', epoch: 1 } },
  body: z.object(held),
  resources: heldResources,
  responses: { 200: z.object({ released: z.literal(true) }) },
  refusals: [refused.cardNotFound, refused.boardArchived, claimLost],
})

export const listReadyCards = route({
  ...inBoard,
  id: 'boards.listReadyCards',
  method: 'GET',
  path: '/api/v1/board/boards/{board_id}/tasks/ready',
  summary: 'Cards that may be taken up now: not over, nothing open before them, not claimed',
  description:
    'In the order in which `claim-next` hands them out. Cards whose text comes from a guest are never ready.',
  example: { query: { limit: '10' } },
  query: z.object({ task_type: z.enum(cardTaskTypes).optional(), limit: pageLimit() }),
  responses: { 200: z.object({ items: z.array(SummaryCard) }) },
  refusals: [refused.boardNotFound],
})
