import { randomUUIDv7 } from 'node:crypto'
import type { Desk, JoinCommands } from '@crewhall/contracts/fleet/desk.ts'
import * as refused from '@crewhall/contracts/fleet/refusals.ts'
import { noteMachine } from '@crewhall/contracts/fleet/updates.ts'
import type { NewDesk } from '@crewhall/contracts/fleet/workstations.ts'
import { lockPlan } from '#modules/identity'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { leaveMesh } from '../mesh/peers.service.ts'
import { forgetPhoto } from '../photos/desk-photos.service.ts'
import { updateReleased } from '../protocol/credentials.store.ts'
import { silentBefore } from './desk-status.rules.ts'
import { auditedDesk, presentDesk } from './desks.present.ts'
import * as store from './desks.store.ts'
import { installCommands } from './install-command.rules.ts'
import { digestOf, newJoinSecret, newShortId } from './join-secret.ts'

export interface DeskDeps {
  readonly cursors: Cursors
  readonly install_url: string
  /** Where the sidecar reaches the API. */
  readonly base_url: string
  readonly upgrade_url: string
}

const secretLifeMs = 24 * 60 * 60 * 1000

/** DESK-22: counted and inserted in one turn, so that orders at the same time do not pass the cap. */
export const orderDesk = (ctx: BrandCtx, deps: DeskDeps, given: NewDesk): Promise<Desk & JoinCommands> =>
  ctx.tx(async (ctx) => {
    const { desk_cap } = await lockPlan(ctx)
    await store.lockDesks(ctx)
    const current = await store.countLiveDesks(ctx, silentBefore(ctx.now()))
    if (current >= desk_cap) throw refused.deskLimitReached(current, deps.upgrade_url)
    const { name, runtime, region = null, description = null } = given
    const id = await insertWanted(ctx, { name, runtime, region, description, project_id: null })
    const secret = await issueSecret(ctx, id)
    return withCommands(ctx, deps, await noteOrdered(ctx, id), secret)
  })

type Wanted = Pick<store.DeskRow, 'name' | 'runtime' | 'region' | 'description' | 'project_id'>

/** Without a secret: no machine can join as it yet. */
export async function addDesk(ctx: BrandTx, wanted: Wanted): Promise<string> {
  const { id } = await noteOrdered(ctx, await insertWanted(ctx, wanted))
  return id
}

async function insertWanted(ctx: BrandTx, wanted: Wanted): Promise<string> {
  const [id, short_id] = [randomUUIDv7(), newShortId()]
  const workspace_path = `/srv/crewhall/${short_id}`
  await store.insertDesk(ctx, { ...wanted, id, short_id, workspace_path, created_by: personOf(ctx) })
  return id
}

async function noteOrdered(ctx: BrandTx, id: string): Promise<store.DeskRow> {
  const row = found(await store.findDesk(ctx, id))
  await tell(ctx, 'ordered', row)
  await ctx.audit({ action: 'desk.ordered', target: `desk:${id}`, from: null, to: auditedDesk(row) })
  return row
}

/** After every id that there is. */
const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

interface ListQuery {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** DESK-33, DESK-G9. */
export async function listDeskPage(ctx: BrandCtx, { cursors }: DeskDeps, { limit, cursor }: ListQuery) {
  const list = `desks:${ctx.brandId}`
  const before = cursor === undefined ? newest : cursors.read(list, cursor)
  if (before === undefined) throw refused.unknownCursor()
  const [rows, total] = await ctx.snapshot(async (ctx) => [
    await store.listDesks(ctx, { before, limit: limit + 1 }),
    await store.countDesks(ctx),
  ])
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const desks = page.map((row) => presentDesk(row, ctx.now()))
  return {
    items: desks.filter(({ dormant }) => !dormant),
    dormant: desks.filter(({ dormant }) => dormant),
    total,
    next_cursor: last && rows.length > limit ? cursors.issue(list, last.id) : null,
  }
}

export const getDesk = async (ctx: BrandCtx, id: string): Promise<Desk> =>
  presentDesk(found(await store.findDesk(ctx, id)), ctx.now())

/** FEAT-11: live and dormant ones. */
export const countDesks = store.countDesks

/** DESK-G10: the secret first, the photo next; nothing of it can join or be asked after the commit. */
export const releaseDesk = (ctx: BrandCtx, id: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const row = found(await store.lockDesk(ctx, id))
    await store.deleteSecret(ctx, id)
    await updateReleased(ctx, id)
    await leaveMesh(ctx, id)
    await forgetPhoto(ctx, id)
    await store.deleteDesk(ctx, id)
    await ctx.enqueue(noteMachine, { desk_id: id })
    await tell(ctx, 'released', row)
    await ctx.audit({ action: 'desk.released', target: `desk:${id}`, from: auditedDesk(row), to: null })
  })

/** DESK-35, DESK-G11: the old secret dies with the same commit. Of two at once, the later one is valid. */
export const regeneratePat = (ctx: BrandCtx, deps: DeskDeps, id: string): Promise<Desk & JoinCommands> =>
  ctx.tx(async (ctx) => {
    found(await store.lockDesk(ctx, id))
    const secret = await issueSecret(ctx, id)
    const row = found(await store.findDesk(ctx, id))
    await tell(ctx, 'token_replaced', row)
    await ctx.audit({ action: 'desk.token_replaced', target: `desk:${id}`, from: null, to: null })
    return withCommands(ctx, deps, row, secret)
  })

interface Issued {
  readonly pat: string
  readonly expires_at: string
}

async function issueSecret(ctx: BrandTx, id: string): Promise<Issued> {
  const pat = newJoinSecret()
  const stored = await store.upsertSecret(ctx, {
    id,
    secret_digest: digestOf(pat),
    issued_by: personOf(ctx),
    expires_at: new Date(ctx.now().getTime() + secretLifeMs),
  })
  return { pat, expires_at: found(stored).expires_at }
}

function withCommands(ctx: BrandCtx, deps: DeskDeps, row: store.DeskRow, { pat, expires_at }: Issued) {
  const { install_url, base_url } = deps
  const commands = installCommands({ install_url, base_url, pat, desk_id: row.id, runtime: row.runtime })
  return { ...presentDesk(row, ctx.now()), pat, ...commands, pat_expires_at: expires_at }
}

const tell = (ctx: BrandTx, what: 'ordered' | 'released' | 'token_replaced', { id, state }: store.DeskRow) =>
  ctx.emit({ type: `desk.${what}`, subject_id: id, data: { workstation_id: id, status: state } })

const personOf = ({ actor }: BrandCtx): number | null => (actor.kind === 'person' ? actor.person_id : null)

/** DESK-31: a desk of another workspace is refused as one that does not exist. */
function found<T>(row: T | undefined): T {
  if (row === undefined) throw refused.deskNotFound()
  return row
}
