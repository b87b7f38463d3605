import type { BrandCtx, OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import { findCredential, settled, told } from '../installs/installs.service.ts'
import { lockInstall, type Pinned } from '../installs/installs.store.ts'
import { type InstallDeps, listPinned, nextCheckSeconds } from '../installs/listing.service.ts'
import { findVersion } from '../packages/packages.store.ts'
import * as store from './checks.store.ts'

const bite = 20
/** Of a run that dies, or is still asking when the next one begins. */
const againSeconds = 600
const soonestSeconds = 900
const longestSeconds = 6 * 3600

/** Asks a bounded number of servers; what is left is due at the next run. One that is slow holds up one place of four. */
export async function checkDueInstalls(
  ctx: OutsideSystemCtx,
  deps: InstallDeps,
  signal: AbortSignal,
): Promise<void> {
  const due = await store.takeDue(ctx, bite, againSeconds)
  const rest = due.values()
  const lane = async () => {
    for (const install of rest) if (!signal.aborted) await checkOne(ctx, deps, install)
  }
  await Promise.all([lane(), lane(), lane(), lane()])
}

async function checkOne(ctx: OutsideSystemCtx, deps: InstallDeps, due: store.DueInstall): Promise<void> {
  const brand = ctx.forBrand(due.brand_id)
  try {
    const version = await findVersion(ctx, due.package_key, due.version)
    // The server of a version that was withdrawn gets no credential any more.
    if (!version || version.url === null || version.withdrawn_at !== null) {
      await brand.tx((ctx) => store.updateFailed(ctx, due.id, longestSeconds))
      return
    }
    const credential = await findCredential(brand, deps, due.id)
    await noteOffered(brand, due.id, due.version, await listPinned(brand, deps, version, credential))
  } catch (error) {
    // Its server, not ours: the tools stay as they are pinned, and fail by themselves if it is away.
    ctx.log.info({ error, install_id: due.id }, 'could not check the tools of a package')
    const seconds = Math.min(soonestSeconds * 2 ** Math.min(due.failures, 5), longestSeconds)
    await brand.tx((ctx) => store.updateFailed(ctx, due.id, seconds))
  }
}

/** What the server of an install offers now. If it is not what was pinned, its tools are withheld and admins are told. */
export const noteOffered = (
  ctx: BrandCtx,
  install_id: string,
  version: string,
  offered: Pinned,
): Promise<void> =>
  ctx.tx(async (ctx) => {
    const row = await lockInstall(ctx, install_id)
    // Uninstalled or moved while its server was asked.
    if (!row || row.version !== version) return
    const { digest } = offered
    const seconds = nextCheckSeconds('') ?? soonestSeconds
    const from = await told(ctx, row)
    if (digest === row.digest) {
      await store.updateUnchanged(ctx, install_id, digest, seconds)
      if (row.found_digest !== null) await settled(ctx, install_id, 'install.approved', from)
      return
    }
    await store.updateFound(ctx, install_id, offered, seconds)
    if (digest !== row.found_digest) await settled(ctx, install_id, 'install.changed', from)
  })
