import { z } from 'zod'
import { scopeMissing } from '../identity/refusals.ts'
import { refusal } from '../refusal.ts'
import { adminToken, route, signed } from '../route.ts'
import { Timestamp, Uuid } from '../wire.ts'

export const maxHooks = 50
export const hookServices = ['github', 'gitlab'] as const
export type HookService = (typeof hookServices)[number]

/** Of check suites and pipelines. */
export const checkStates = ['pending', 'passed', 'failed'] as const
export type CheckState = (typeof checkStates)[number]

/**
 * `taken`: cards follow shortly. `stale`: something later is known already. `repeated`: this delivery came before.
 * `ignored`: an event that says nothing about cards. `pong`: the test that a host sends first.
 */
export const deliveryResults = ['taken', 'stale', 'repeated', 'ignored', 'pong'] as const
export type DeliveryResult = (typeof deliveryResults)[number]

export const hookNotFound = refusal(404, 'Hook not found')
export const hookTaken = refusal(409, 'This repository has a hook')
export const hookLimit = refusal(409, `A workspace has at most ${maxHooks} hooks`)
export const hookBoardsUnknown = refusal(400, 'board_ids: no such board of the workspace')
export const deliveryRefused = refusal(403, 'The signature does not fit')
export const otherRepository = refusal(409, 'The delivery is about another repository than the hook')

const addressForm = /^https:\/\/[a-z0-9.-]+(?::\d{1,5})?(?:\/[\w.~-]+){2,20}$/
/** As in the browser, without `.git`. Hosts take names in any case, so it is kept in lower case. */
const RepositoryUrl = z
  .string()
  .max(500)
  .toLowerCase()
  .overwrite((url) => url.replace(/(?<!\/)\/+$/, '').replace(/\.git$/, ''))
  .regex(addressForm, 'must be the https address of a repository, such as https://github.com/team/engine')
  .meta({ examples: ['https://github.com/team/engine'] })

const settings = {
  url: RepositoryUrl,
  /** Only cards of these boards; null for all boards of the workspace. */
  board_ids: z.array(Uuid).min(1).max(50).nullable(),
}

export const Hook = z
  .object({
    id: Uuid,
    service: z.enum(hookServices),
    url: z.string().max(500),
    board_ids: z.array(Uuid).max(50).nullable(),
    /** Where the host sends its deliveries, behind the address of this installation. */
    path: z.string().max(100),
    /** Until then, deliveries with the previous secret are taken as well. */
    old_secret_until: Timestamp.nullable(),
    /** The last one that was signed; null before. */
    last_delivery: z
      .object({ event: z.string().max(100), result: z.enum(deliveryResults), received_at: Timestamp })
      .nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Hook' })
export type Hook = z.infer<typeof Hook>

/** The only response that contains the secret. */
export const HookWithSecret = Hook.extend({ secret: z.string() }).meta({ id: 'HookWithSecret' })

const admins = { auth: adminToken('brand:admin'), invalid: 400, dry_run: true } as const
const inHook = {
  ...admins,
  params: z.object({ hook_id: Uuid }),
  resources: { hook_id: 'hook' },
  missing: hookNotFound,
} as const

export const listHooks = route({
  ...admins,
  id: 'boards.listHooks',
  method: 'GET',
  path: '/api/v1/board/hooks',
  summary: 'List the hooks of the workspace, by address',
  description: `At most ${maxHooks} per workspace, each with its last delivery. Secrets are not included.`,
  responses: { 200: z.object({ items: z.array(Hook).max(maxHooks) }) },
  refusals: [scopeMissing],
})

export const createHook = route({
  ...admins,
  id: 'boards.createHook',
  method: 'POST',
  path: '/api/v1/board/hooks',
  summary: 'Create a hook for a repository',
  description:
    'Store `secret` from the response: it is returned only once. Enter it, with `path` of this installation as the address, as a webhook at GitHub or GitLab. Pull requests then find their cards by the branch of a card, its `pr_url`, or a ref such as `CORE-12` in their title or branch, and set `pr_url`, `pr_number`, `pr_state`, `merged_at` and `commit_sha` there; so do pushes to their branch and commits that name them. Checks and the rest are in `tasks/{task_id}/delivery`.',
  example: { body: { service: 'github', url: 'https://github.com/team/engine' } },
  tells_once: true,
  resources: { 'body.board_ids': 'board' },
  body: z.object({
    service: z.enum(hookServices),
    url: settings.url,
    board_ids: settings.board_ids.optional(),
  }),
  responses: { 201: HookWithSecret },
  refusals: [scopeMissing, hookTaken, hookLimit, hookBoardsUnknown],
})

export const getHook = route({
  ...inHook,
  id: 'boards.getHook',
  method: 'GET',
  path: '/api/v1/board/hooks/{hook_id}',
  summary: 'Get a hook',
  description: '`last_delivery` says what came of the last delivery with a right signature.',
  responses: { 200: Hook },
  refusals: [scopeMissing, hookNotFound],
})

export const changeHook = route({
  ...inHook,
  id: 'boards.changeHook',
  method: 'PATCH',
  path: '/api/v1/board/hooks/{hook_id}',
  summary: 'Change a hook',
  description:
    'Only the fields in the body change. Cards follow with the next deliveries. Send `url` after a repository was replaced by another one; one that was renamed or moved is known by its id.',
  example: { body: { board_ids: null } },
  body: z.object(settings).partial(),
  resources: { hook_id: 'hook', 'body.board_ids': 'board' },
  responses: { 200: Hook },
  refusals: [scopeMissing, hookNotFound, hookTaken, hookBoardsUnknown],
})

export const deleteHook = route({
  ...inHook,
  id: 'boards.deleteHook',
  method: 'DELETE',
  path: '/api/v1/board/hooks/{hook_id}',
  summary: 'Delete a hook',
  description: 'Its address takes no more deliveries. Cards stay as they are.',
  responses: { 200: z.object({ removed: z.literal(true) }) },
  refusals: [scopeMissing, hookNotFound],
})

export const rotateHookSecret = route({
  ...inHook,
  id: 'boards.rotateHookSecret',
  method: 'POST',
  path: '/api/v1/board/hooks/{hook_id}/rotate-secret',
  summary: 'Rotate the secret of a hook',
  description:
    'Store `secret` from the response: it is returned only once. For 24 hours, deliveries with the old secret are taken as well.',
  tells_once: true,
  responses: { 200: HookWithSecret },
  refusals: [scopeMissing, hookNotFound],
})

export const receiveDelivery = route({
  auth: signed(deliveryRefused),
  id: 'boards.receiveDelivery',
  method: 'POST',
  path: '/api/v1/hooks/{hook_id}',
  summary: 'Receive a delivery of a repository',
  description:
    'For the webhooks of GitHub and GitLab. The body is signed with the secret of the hook: `X-Hub-Signature-256`, `Webhook-Signature` or `X-Gitlab-Token`. `X-GitHub-Event` or `X-Gitlab-Event` says what it is about. A delivery that comes twice, late or out of order changes nothing. An unknown hook and a wrong signature get the same refusal.',
  example: { body: { zen: 'Half measures are as bad as nothing at all.' } },
  judges_texts: true,
  max_body_bytes: 5 * 1024 * 1024,
  params: z.object({ hook_id: Uuid }),
  resources: { hook_id: 'hook' },
  missing: deliveryRefused,
  body: z.looseObject({}).catch({}),
  responses: { 202: z.object({ result: z.enum(deliveryResults) }) },
  refusals: [deliveryRefused, otherRepository],
})
