import { z } from 'zod'
import { refusal, refusalOf } from '../refusal.ts'
import { route } from '../route.ts'
import { pageLimit, Timestamp, text, Uuid } from '../wire.ts'
import { boardFamily, inBoard } from './boards.ts'
import { Actor, cardTaskTypes, SummaryCard } from './card-fields.ts'
import * as refused from './refusals.ts'
import { TaskId } from './task-ids.ts'

interface Holding {
  readonly holder: Actor | null
  readonly expires_at: string | null
  readonly epoch: number
}
export const alreadyClaimed = refusalOf(409, 'The card is claimed by someone else', (holding: Holding) => ({
  error: 'already_claimed',
  message: `${holding.holder?.name ?? 'Someone else'} has claimed this card`,
  ...holding,
}))
/** A write by a caller whose lease has expired or been taken over. */
export const claimLost = refusalOf(409, 'The claim was lost', (holding: Holding) => ({
  error: 'claim_lost',
  message: 'The claim was lost; fetch the card again',
  ...holding,
}))
export const notClaimable = refusal(409, 'This card is finished or blocked')

export const Claim = z
  .object({ claim_id: Uuid, task_id: Uuid, epoch: z.int(), expires_at: Timestamp, holder: Actor })
  .meta({ id: 'Claim' })
export type Claim = z.infer<typeof Claim>

const lease_seconds = z.int().min(30).max(3600).default(900)
/** Distinguishes agents that share a token. */
const worker = text(1, 100).optional()
/**
 * The caller's name for the process that will hold the card; defaults to `worker`. The same process may claim again
 * and gets its existing claim; another process of the same agent is refused.
 */
const process = text(1, 100).optional()
export const claimWish = { lease_seconds, worker, process }
/** The epoch that the claim returned. Writes with any other epoch are refused. */
const held = { claim_id: Uuid, epoch: z.int().min(1) }

const ofCard = {
  ...boardFamily,
  params: z.object({ task_id: TaskId }),
  resources: { task_id: 'card' },
  missing: refused.cardNotFound,
} as const
const heldResources = { task_id: 'card', 'body.claim_id': 'claim' } as const

export const claimCard = route({
  ...ofCard,
  id: 'boards.claimCard',
  method: 'POST',
  path: '/api/v1/board/tasks/{task_id}/claim',
  summary: 'Claim a card',
  description:
    'The claim ends when its lease expires, unless a heartbeat renews it. Claiming again from the same process renews it as well. A card claimed by someone else gets 409, and so does another process of the same agent: name yours with `process` or `worker`.',
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
  summary: 'Claim the first ready card of a board, or null',
  description:
    'For agents looking for work. Two callers never get the same card. Send `claim_id` and `epoch` from the response with heartbeats, the release and your writes.',
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
  summary: 'Renew the lease of a claim',
  description:
    'Send it well before the lease expires, for example after each third of it. 409 means that the claim is lost: stop working on the card.',
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
  summary: 'Release the claim of a card',
  description:
    'Others can claim the card immediately, and unfinished runs of the claim become `lost`. Members can also release claims of others, which is recorded in the activity feed; agents cannot. The epoch increases.',
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
  summary: 'List the cards that are ready to be claimed',
  description:
    'Cards that are neither finished nor blocked nor claimed, in the order in which `claim-next` returns them. Cards with text from a guest are never ready.',
  example: { query: { limit: '10' } },
  query: z.object({ task_type: z.enum(cardTaskTypes).optional(), limit: pageLimit() }),
  responses: { 200: z.object({ items: z.array(SummaryCard) }) },
  refusals: [refused.boardNotFound],
})
