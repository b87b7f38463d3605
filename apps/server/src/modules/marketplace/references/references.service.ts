import { randomUUID } from 'node:crypto'
import * as refused from '@crewhall/contracts/marketplace/refusals.ts'
import { holdAgent } from '#modules/identity'
import type { BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import { settled, told, versionToInstall } from '../installs/installs.service.ts'
import * as installs from '../installs/installs.store.ts'
import {
  type InstallDeps,
  listPinned,
  nextCheckSeconds,
  refuseCredential,
} from '../installs/listing.service.ts'
import { holdVersion } from '../packages/packages.store.ts'
import * as store from './references.store.ts'
import { isTurnedOff } from './release.rules.ts'

/** A hire and the agent that works for it. */
export interface ReferringHire {
  readonly hire_id: string
  readonly agent_id: string
}

/** What has to be installed for a hire, with the tools that the servers of packages have named. */
export interface PreparedPackage extends installs.Pinned {
  readonly package_key: string
  readonly version: string
}

/** Outside of any transaction, because servers of packages are asked. */
export async function preparePackages(
  ctx: OutsideBrandCtx,
  deps: InstallDeps,
  keys: readonly string[],
): Promise<PreparedPackage[]> {
  const there = new Set((await installs.listInstalls(ctx, refused.maxInstalls)).map((row) => row.package_key))
  const prepared: PreparedPackage[] = []
  for (const package_key of inOrder(keys)) {
    if (there.has(package_key)) continue
    const row = await versionToInstall(ctx, package_key, undefined)
    refuseCredential(row, false)
    prepared.push({ package_key, version: row.version, ...(await listPinned(ctx, deps, row, null)) })
  }
  return prepared
}

/**
 * The hire needs these packages from now on, and its agent may use them. What is missing is installed; what a hire left
 * behind is enabled again; what the workspace has disabled stays so. Safe to repeat.
 */
export async function takeReferences(
  ctx: BrandTx,
  { hire_id, agent_id }: ReferringHire,
  keys: readonly string[],
  prepared: readonly PreparedPackage[],
): Promise<void> {
  await holdAgent(ctx, agent_id)
  await installs.lockInstalls(ctx)
  const there = new Map((await store.lockInstallsOf(ctx, keys)).map((row) => [row.package_key, row]))
  for (const package_key of inOrder(keys)) {
    const install = there.get(package_key)
    const found = install && (await installs.findInstall(ctx, install.id))
    const from = found && (await told(ctx, found))
    const id = install?.id ?? (await installForHire(ctx, package_key, prepared))
    const isRevived = install?.origin === 'hire' && !install.is_enabled
    if (isRevived) await installs.updateEnabled(ctx, id, { is_enabled: true, origin: 'hire' })
    const isNew = await store.insertReference(ctx, { package_key, hire_id, agent_id })
    if (!install) await settled(ctx, id, 'install.created', undefined)
    else if (isRevived) await settled(ctx, id, 'install.enabled', from)
    else if (isNew) await settled(ctx, id, 'install.granted', from)
  }
}

async function installForHire(
  ctx: BrandTx,
  package_key: string,
  prepared: readonly PreparedPackage[],
): Promise<string> {
  const mine = prepared.find((each) => each.package_key === package_key)
  // Uninstalled since it was looked for: the hire tries again.
  if (!mine) throw refused.packageNotFound()
  const held = await holdVersion(ctx, package_key, mine.version)
  if (!held || held.withdrawn_at !== null) throw refused.versionWithdrawn()
  if ((await installs.countInstalls(ctx)) >= refused.maxInstalls) throw refused.tooManyInstalls()
  const id = randomUUID()
  await installs.insertInstall(ctx, {
    ...mine,
    id,
    kind: held.url === null ? 'builtin' : 'http',
    origin: 'hire',
    is_for_everyone: false,
    credential: null,
    check_seconds: nextCheckSeconds(held.url),
  })
  return id
}

export interface Released {
  readonly disabled: number
  readonly retained: number
}

/**
 * The hire has ended: its agent loses what it had by it. An install that was there for hires alone is disabled with the
 * last of them. Safe to repeat: a second time finds nothing.
 */
export async function releaseReferences(ctx: BrandTx, hire_id: string): Promise<Released> {
  // Locked before anything is counted: of two hires that end together, the second sees that the first has gone.
  const locked = await store.lockInstallsOfHire(ctx, hire_id)
  const before = new Map<string, Awaited<ReturnType<typeof told>>>()
  for (const { id } of locked) {
    const row = await installs.findInstall(ctx, id)
    if (row) before.set(id, await told(ctx, row))
  }
  await store.deleteReferences(ctx, hire_id)
  const used = await store.listUsed(
    ctx,
    locked.map(({ package_key }) => package_key),
  )
  let disabled = 0
  for (const { id, package_key, origin, is_enabled } of locked) {
    const isOff = isTurnedOff({ origin, is_enabled, is_used: used.has(package_key) })
    if (isOff) await installs.updateEnabled(ctx, id, { is_enabled: false, origin })
    await settled(ctx, id, isOff ? 'install.disabled' : 'install.granted', before.get(id))
    if (isOff) disabled += 1
  }
  return { disabled, retained: locked.length - disabled }
}

const inOrder = (keys: readonly string[]): string[] => [...new Set(keys)].toSorted()
