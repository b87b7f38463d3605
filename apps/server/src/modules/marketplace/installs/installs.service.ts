import { randomUUID } from 'node:crypto'
import type { Install, InstallDetails } from '@crewhall/contracts/marketplace/installs.ts'
import * as refused from '@crewhall/contracts/marketplace/refusals.ts'
import { listAgentsAmong } from '#modules/identity'
import type { BrandCtx, BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import { findPackage, findVersion, holdVersion, type VersionRow } from '../packages/packages.store.ts'
import { placeOf, sealCredential } from './credential.ts'
import { presentDetails, presentInstall } from './installs.present.ts'
import * as store from './installs.store.ts'
import { type InstallDeps, listPinned, nextCheckSeconds, refuseCredential } from './listing.service.ts'
import { type InstallEvent, type Told, tellOfInstall } from './tell.service.ts'

export const countAllInstalls = (ctx: BrandCtx): Promise<number> => store.countInstalls(ctx)

export const listAllInstalls = async (ctx: BrandCtx): Promise<{ items: Install[] }> => ({
  items: (await store.listInstalls(ctx, refused.maxInstalls)).map(presentInstall),
})

export const getOneInstall = (ctx: BrandCtx, id: string): Promise<InstallDetails> =>
  ctx.snapshot(async (ctx) => details(ctx, found(await store.findInstall(ctx, id))))

interface Given {
  readonly package_key: string
  readonly version?: string | undefined
  readonly credential?: string | undefined
  readonly everyone?: boolean | undefined
  readonly agent_ids?: readonly string[] | undefined
}
export interface Prepared extends store.Pinned {
  readonly version: string
}

/** Asks the server of the package, so it comes before the transaction. */
export async function prepareInstall(
  ctx: OutsideBrandCtx,
  deps: InstallDeps,
  { package_key, version, credential }: Given,
): Promise<Prepared> {
  // Authorize the caller before anything is asked of others.
  await ctx.confirm()
  const row = await versionToInstall(ctx, package_key, version)
  refuseCredential(row, credential !== undefined)
  return { version: row.version, ...(await listPinned(ctx, deps, row, credential ?? null, ctx.gone())) }
}

export const installOne = (
  ctx: BrandCtx,
  { secret_box }: InstallDeps,
  given: Given,
  { version, ...pinned }: Prepared,
): Promise<InstallDetails> =>
  ctx.tx(async (ctx) => {
    const { package_key, credential = null, everyone: is_for_everyone = false, agent_ids = [] } = given
    await store.lockInstalls(ctx)
    const held = await holdVersion(ctx, package_key, version)
    if (!held || held.withdrawn_at !== null) throw refused.versionWithdrawn()
    await refuseUnknownAgents(ctx, agent_ids)
    const before = await store.lockInstallOf(ctx, package_key)
    if (before?.origin === 'workspace') throw refused.alreadyInstalled()
    const from = before && (await told(ctx, before))
    const id = before?.id ?? randomUUID()
    const sealed = sealCredential(secret_box, ctx.brandId, id, credential)
    const check_seconds = nextCheckSeconds(held.url)
    if (before) {
      // Of a hire so far: from now on the workspace's own, as it is said here.
      await store.updateVersion(ctx, id, { version, check_seconds, ...pinned })
      await store.updateCredential(ctx, id, sealed)
      await store.updateEveryone(ctx, id, is_for_everyone)
      await store.updateEnabled(ctx, id, { is_enabled: true, origin: 'workspace' })
    } else {
      if ((await store.countInstalls(ctx)) >= refused.maxInstalls) throw refused.tooManyInstalls()
      const kind = held.url === null ? 'builtin' : 'http'
      const install = { id, package_key, version, kind, origin: 'workspace', is_for_everyone } as const
      await store.insertInstall(ctx, { ...install, ...pinned, credential: sealed, check_seconds })
    }
    await store.insertGrants(ctx, id, agent_ids)
    return settled(ctx, id, before ? 'install.adopted' : 'install.created', from)
  })

/** Every admin who changes an install that came with a hire makes it the workspace's own. */
const change = (
  ctx: BrandCtx,
  id: string,
  event: InstallEvent,
  work: (ctx: BrandTx, before: Told) => Promise<unknown>,
): Promise<InstallDetails> =>
  ctx.tx(async (ctx) => {
    const before = await told(ctx, found(await store.lockInstall(ctx, id)))
    await work(ctx, before)
    return settled(ctx, id, event, before)
  })

export const grantOne = (
  ctx: BrandCtx,
  id: string,
  { everyone, agent_ids }: { readonly everyone: boolean; readonly agent_ids: readonly string[] },
): Promise<InstallDetails> =>
  change(ctx, id, 'install.granted', async (ctx, before) => {
    // Agents that were retired since they were granted may stay in the list of a caller who repeats it.
    await refuseUnknownAgents(
      ctx,
      agent_ids.filter((agent) => !before.agent_ids.includes(agent)),
    )
    await store.deleteGrantsBut(ctx, id, agent_ids)
    await store.insertGrants(ctx, id, agent_ids)
    await store.updateEveryone(ctx, id, everyone)
  })

export const switchOne = (ctx: BrandCtx, id: string, is_enabled: boolean): Promise<InstallDetails> =>
  change(ctx, id, is_enabled ? 'install.enabled' : 'install.disabled', (ctx) =>
    store.updateEnabled(ctx, id, { is_enabled, origin: 'workspace' }),
  )

export const approveOne = (ctx: BrandCtx, id: string, digest: string): Promise<InstallDetails> =>
  change(ctx, id, 'install.approved', async (ctx, { row }) => {
    if (row.found_digest === null) throw refused.nothingToApprove()
    if (row.found_digest !== digest) throw refused.approvalOutdated()
    await store.updateApproved(ctx, id)
  })

export const replaceCredential = (
  ctx: BrandCtx,
  { secret_box }: InstallDeps,
  id: string,
  credential: string | null,
): Promise<InstallDetails> =>
  change(ctx, id, 'install.credential_replaced', async (ctx, { row }) => {
    const version = await findVersion(ctx, row.package_key, row.version)
    if (version) refuseCredential(version, credential !== null)
    await store.updateCredential(ctx, id, sealCredential(secret_box, ctx.brandId, id, credential))
  })

export async function prepareMove(
  ctx: OutsideBrandCtx,
  deps: InstallDeps,
  id: string,
  version: string,
): Promise<Prepared> {
  const install = found(await store.findInstall(ctx, id))
  const row = await versionToInstall(ctx, install.package_key, version)
  refuseCredential(
    { credential: row.credential === 'none' ? 'optional' : row.credential },
    install.has_credential,
  )
  await refuseOtherServer(ctx, install, row.url)
  return { version, ...(await listPinned(ctx, deps, row, await findCredential(ctx, deps, id), ctx.gone())) }
}

export const moveOne = (
  ctx: BrandCtx,
  id: string,
  { version, ...pinned }: Prepared,
): Promise<InstallDetails> =>
  change(ctx, id, 'install.moved', async (ctx, { row }) => {
    const held = await holdVersion(ctx, row.package_key, version)
    if (!held || held.withdrawn_at !== null) throw refused.versionWithdrawn()
    // Again under the lock: a credential may have come since.
    await refuseOtherServer(ctx, row, held.url)
    await store.updateVersion(ctx, id, { version, check_seconds: nextCheckSeconds(held.url), ...pinned })
  })

async function refuseOtherServer(
  ctx: BrandCtx,
  { package_key, version, has_credential }: store.InstallRow,
  url: string | null,
): Promise<void> {
  const present = has_credential ? await findVersion(ctx, package_key, version) : undefined
  if (present && originOf(present.url) !== originOf(url)) throw refused.credentialOfOtherServer()
}

const originOf = (url: string | null): string | null => (url === null ? null : new URL(url).origin)

export const uninstallOne = (ctx: BrandCtx, id: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const before = await told(ctx, found(await store.lockInstall(ctx, id)))
    if (before.row.hire_count > 0) throw refused.installInUse()
    await store.deleteInstall(ctx, id)
    await tellOfInstall(ctx, 'install.removed', before, undefined)
  })

/** Unsealed at the moment of the call; null for an install without one, or whose key was lost. */
export async function findCredential(
  ctx: BrandCtx,
  { secret_box }: Pick<InstallDeps, 'secret_box'>,
  id: string,
): Promise<string | null> {
  const { credential } = found(await store.findSealed(ctx, id))
  return credential === null ? null : (secret_box.open(placeOf(ctx.brandId, id), credential) ?? null)
}

export async function versionToInstall(
  ctx: BrandCtx,
  package_key: string,
  version: string | undefined,
): Promise<VersionRow> {
  const named = await findPackage(ctx, package_key)
  if (!named) throw refused.packageNotFound()
  const wanted = version ?? named.latest_version
  const row = wanted === null ? undefined : await findVersion(ctx, package_key, wanted)
  if (!row) throw refused.versionNotFound()
  if (row.withdrawn_at !== null) throw refused.versionWithdrawn()
  return row
}

export async function settled(
  ctx: BrandTx,
  id: string,
  event: InstallEvent,
  from: Told | undefined,
): Promise<InstallDetails> {
  const to = await told(ctx, found(await store.findInstall(ctx, id)))
  const shown = await details(ctx, to.row)
  await tellOfInstall(ctx, event, from, to)
  return shown
}

export async function told(ctx: BrandCtx, row: store.InstallRow): Promise<Told> {
  return { row, agent_ids: (await store.findTools(ctx, row.id))?.agent_ids ?? [] }
}

async function details(ctx: BrandCtx, row: store.InstallRow): Promise<InstallDetails> {
  return presentDetails(row, found(await store.findTools(ctx, row.id)))
}

async function refuseUnknownAgents(ctx: BrandCtx, ids: readonly string[]): Promise<void> {
  const wanted = new Set(ids)
  if (wanted.size > 0 && (await listAgentsAmong(ctx, [...wanted])).length < wanted.size)
    throw refused.agentsUnknown()
}

function found<Row>(row: Row | undefined): Row {
  if (!row) throw refused.installNotFound()
  return row
}
