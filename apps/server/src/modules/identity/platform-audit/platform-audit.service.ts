import type { PlatformEntry } from '@crewhall/contracts/identity/platform-audit.ts'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { presentPlatformEntry } from './platform-audit.present.ts'
import * as store from './platform-audit.store.ts'

/** Something that concerns no workspace. Values are what an operator may read: no name, no address, no secret. */
export interface PlatformFact {
  /** `<noun>.<past participle>`, such as `staff.appointed`. */
  readonly action: string
  /** Whom it is about. */
  readonly person_id?: number | undefined
  readonly from?: unknown
  readonly to?: unknown
  /** The person acted, and is not known to the request yet: a sign-in. */
  readonly is_own?: boolean
  /** Only for failed sign-ins. */
  readonly network?: string
}

/** Inside a transaction it commits with the change it records. */
export async function notePlatform(ctx: SystemCtx, fact: PlatformFact): Promise<void> {
  const { action, person_id = null, from, to, is_own = false, network = null } = fact
  const { actor, request_id } = ctx
  const acting = actor.kind === 'person' ? actor.person_id : null
  await store.insertPlatformEntry(ctx, {
    action,
    person_id,
    old_value: from === undefined ? null : JSON.stringify(from),
    new_value: to === undefined ? null : JSON.stringify(to),
    // A desk acts in its workspace and nowhere else.
    actor_kind: is_own ? 'person' : actor.kind === 'desk' ? 'nobody' : actor.kind,
    actor_person_id: is_own ? person_id : acting,
    network,
    request_id,
  })
}

/** Not awaited: the response time must not reveal whether an account exists. */
export const noteLater = (ctx: SystemCtx, fact: PlatformFact): void => {
  notePlatform(ctx, fact).catch((error) =>
    ctx.log.warn({ error }, 'could not write to the platform audit log'),
  )
}

interface Asked {
  readonly before?: number | undefined
  readonly limit: number
  readonly person?: number | undefined
}

export async function listPlatformPage(
  ctx: SystemCtx,
  { before = Number.MAX_SAFE_INTEGER, limit, person }: Asked,
): Promise<{ items: PlatformEntry[]; next_before: number | null }> {
  // One row more than asked for shows whether there is a next page.
  const rows = await store.listPlatformEntries(ctx, { before, limit: limit + 1 }, person)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return {
    items: page.map(presentPlatformEntry),
    next_before: rows.length > limit && last ? Number(last.id) : null,
  }
}

const bite = 2000

export async function sweepPlatformAudit(ctx: SystemCtx, months: number): Promise<void> {
  while ((await store.deleteOldEntries(ctx, months, bite)) === bite) await ctx.faultPoint('identity.sweep')
}
