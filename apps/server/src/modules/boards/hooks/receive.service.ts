import { createHash, randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { followDelivery } from '@crewhall/contracts/boards/hook-jobs.ts'
import { type DeliveryResult, otherRepository } from '@crewhall/contracts/boards/hooks.ts'
import type { BrandTx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Signer } from '#platform/http/handle.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { listNamedCards } from './follow.store.ts'
import { placeOf } from './hook-secret.ts'
import { findSigner, type SignerRow } from './hooks.store.ts'
import * as store from './receive.store.ts'
import { partsOf } from './refs.rules.ts'
import type { ToldPush, ToldRepository } from './states.rules.ts'
import { isPing, isSame, repositoryIn, type Sent, type Told, toldBy } from './told.rules.ts'

/** Cards that one push may name. */
const mostRefs = 50

/** A hook, and what the headers of a delivery say. */
export interface Sender extends Signer {
  readonly hook: SignerRow
  readonly event: string
  /** The id of the delivery, the same when it is sent again; made up where a host gives none. */
  readonly delivery_id: string
}

/** Undefined for a hook that does not exist, or whose secret cannot be opened. */
export async function findSender(
  ctx: SystemCtx,
  box: SecretBox,
  hook_id: string,
  headers: IncomingHttpHeaders,
): Promise<Sender | undefined> {
  const hook = await findSigner(ctx, hook_id)
  if (!hook) return undefined
  const open = (sealed: Buffer | null) =>
    sealed === null ? undefined : box.open(placeOf(hook.brand_id, hook.id), sealed)
  const secret = open(hook.secret)
  if (secret === undefined) return undefined
  const isGitHub = hook.service === 'github'
  const event = wordIn(headers, isGitHub ? 'x-github-event' : 'x-gitlab-event') ?? ''
  const delivery_id = wordIn(headers, isGitHub ? 'x-github-delivery' : 'idempotency-key') ?? randomUUID()
  return { secret, old_secret: open(hook.old_secret), hook, event, delivery_id }
}

/** Short and visible, or nothing: it is kept. */
function wordIn(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' && /^[\x20-\x7e]{1,100}$/.test(value) ? value : undefined
}

/** What it says is kept with the time its host gives it; cards follow in a job, which nobody waits for. */
export async function receive(
  ctx: SystemCtx,
  { hook, event, delivery_id: id }: Sender,
  body: unknown,
): Promise<{ result: DeliveryResult }> {
  const { service, brand_id, id: hook_id } = hook
  const sent: Sent = { service, event, body }
  const repository = repositoryIn(sent)
  if (repository && !isSame(hook, repository)) throw otherRepository()
  const told = isPing(sent) ? ({ kind: 'pong' } as const) : repository && toldBy(sent, repository)
  const first: DeliveryResult = told === undefined ? 'ignored' : told.kind === 'pong' ? 'pong' : 'taken'
  const result = await ctx.forBrand(brand_id).tx(async (ctx) => {
    if (!(await store.insertDelivery(ctx, { hook_id, id, event, result: first }))) return 'repeated'
    if (repository && hook.remote_id === null) await store.updateRemoteId(ctx, hook_id, repository.remote_id)
    if (!told || told.kind === 'pong' || !repository || (await keep(ctx, hook, told, repository)))
      return first
    await store.updateDelivery(ctx, { hook_id, id, result: 'stale' })
    return 'stale'
  })
  return { result }
}

const digested = <T extends { readonly content: string }>({ content, ...told }: T) => ({
  ...told,
  digest: createHash('sha256').update(content).digest('hex').slice(0, 32),
})

type Kept = Exclude<Told, { kind: 'pong' }>

/** Whether it says something that was not known. */
async function keep(ctx: BrandTx, hook: SignerRow, told: Kept, repository: ToldRepository): Promise<boolean> {
  const { id: hook_id } = hook
  const followed = { brand_id: ctx.brandId, hook_id }
  if (told.kind === 'pull') {
    if (!(await store.upsertPull(ctx, hook_id, digested(told.pull)))) return false
    await ctx.enqueue(followDelivery, { ...followed, number: told.pull.number })
  } else if (told.kind === 'suite') {
    if (!(await store.upsertSuite(ctx, hook_id, digested(told.suite)))) return false
    await ctx.enqueue(followDelivery, { ...followed, sha: told.suite.sha })
  } else {
    const { branch } = told.push
    // Everything ends there, so it is the branch of no card.
    const isNews = branch !== repository.default_branch && (await store.upsertPush(ctx, hook_id, told.push))
    const card_ids = await keepCommits(ctx, hook, told.push)
    if (!isNews && card_ids.length === 0) return false
    await ctx.enqueue(followDelivery, { ...followed, card_ids, ...(isNews ? { branch } : {}) })
  }
  return true
}

/** Cards that messages name are looked up now: messages are not kept. */
async function keepCommits(
  ctx: BrandTx,
  { id: hook_id, board_ids }: SignerRow,
  { commits }: ToldPush,
): Promise<string[]> {
  if (commits.length === 0) return []
  const refs = [...new Set(commits.flatMap((commit) => commit.refs))].slice(0, mostRefs)
  const cards = await listNamedCards(ctx, board_ids, partsOf(refs))
  const named = commits.flatMap(({ sha, at, refs }) =>
    cards.filter(({ ref }) => refs.includes(ref)).map(({ id: card_id }) => ({ card_id, sha, at })),
  )
  return [...new Set(await store.insertCommits(ctx, hook_id, named))]
}
