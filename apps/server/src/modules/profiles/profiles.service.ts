import type { CoderProfile, ProfileChange } from '@crewhall/contracts/profiles/coder-profiles.ts'
import { notFound } from '@crewhall/contracts/refusal.ts'
import type { BrandCtx, BrandTx } from '#platform/ctx/ctx.ts'
import { type CatalogProfile, catalog, findInCatalog, isForTask, isOfCoder } from './catalog.rules.ts'
import {
  deriveChanges,
  nextOverrides,
  type Overrides,
  refusalOfOverride,
  refusalOfReset,
} from './overrides.rules.ts'
import { presentCatalog, presentProfile } from './profiles.present.ts'
import * as store from './profiles.store.ts'

/** What a workspace has chosen about the catalog. */
export interface Choices {
  readonly overrides: ReadonlyMap<string, Overrides>
  readonly closed: ReadonlySet<string>
}

export async function readChoices(ctx: BrandCtx): Promise<Choices> {
  const overrides = new Map<string, Overrides>()
  const closed = new Set<string>()
  for (const { profile_key, closed_coder, ...changed } of await store.listChoices(ctx)) {
    if (closed_coder !== null) closed.add(closed_coder)
    else if (profile_key !== null) overrides.set(profile_key, changed)
  }
  return { overrides, closed }
}

/** Whether the platform has such a profile; a workspace may still have closed its coder. */
export const isKnownProfile = (key: string): boolean => findInCatalog(key) !== undefined

interface Filter {
  readonly coder?: string | undefined
  readonly task_type?: string | undefined
}

export async function listProfiles(
  ctx: BrandCtx,
  { coder, task_type }: Filter,
): Promise<readonly CoderProfile[]> {
  const { overrides, closed } = await readChoices(ctx)
  const all = presentCatalog(overrides)
  // The list of most calls, of which the same object is answered every time.
  if (coder === undefined && task_type === undefined && closed.size === 0) return all
  const wanted = catalog
    .filter((profile) => !closed.has(profile.coder))
    .filter((profile) => coder === undefined || isOfCoder(profile, coder))
    .filter((profile) => task_type === undefined || isForTask(profile, task_type))
  const keys = new Set(wanted.map(({ key }) => key))
  return all.filter(({ key }) => keys.has(key))
}

export async function getProfile(ctx: BrandCtx, key: string): Promise<CoderProfile> {
  const { profile, overrides } = await getOpen(ctx, key)
  return presentProfile(profile, overrides.get(key))
}

export async function listHistory(
  ctx: BrandCtx,
  key: string,
  { before = Number.MAX_SAFE_INTEGER, limit }: { before?: number | undefined; limit: number },
): Promise<{ changes: ProfileChange[]; next: { before: number; limit: number } | undefined }> {
  const { profile } = await getOpen(ctx, key)
  const found = await store.listChanges(ctx, { profile_key: profile.key, before, limit: limit + 1 })
  const changes = found.slice(0, limit)
  const last = changes.at(-1)
  return { changes, next: last && found.length > limit ? { before: last.id, limit } : undefined }
}

/** PROF-61: everything is validated before anything is written, so a refused change leaves no trace. */
export async function changeProfile(
  ctx: BrandCtx,
  key: string,
  body: Readonly<Record<string, unknown>>,
): Promise<CoderProfile> {
  const { profile } = await getOpen(ctx, key)
  const refusal = refusalOfOverride(profile, body)
  if (refusal) throw refusal
  return ctx.tx(async (ctx) => {
    const before = await store.lockOverrides(ctx, key)
    if (!before) throw notFound()
    return write(ctx, profile, before, nextOverrides(before, body))
  })
}

export async function resetSetting(ctx: BrandCtx, key: string, field: string): Promise<CoderProfile> {
  const { profile } = await getOpen(ctx, key)
  const refusal = refusalOfReset(profile, field)
  if (refusal) throw refusal
  return ctx.tx(async (ctx) => {
    const before = await store.lockExistingOverrides(ctx, key)
    return before
      ? write(ctx, profile, before, nextOverrides(before, { [field]: null }))
      : presentProfile(profile, undefined)
  })
}

async function write(ctx: BrandTx, profile: CatalogProfile, before: Overrides, after: Overrides) {
  const changes = deriveChanges(before, after)
  if (changes.length > 0) {
    await store.updateOverrides(ctx, profile.key, after)
    for (const change of changes) {
      await store.insertChange(ctx, { ...change, ...actorOf(ctx), profile_key: profile.key })
    }
    const target = `coder_profile:${profile.key}`
    await ctx.audit({ action: 'profile.changed', target, from: before, to: after })
  }
  return presentProfile(profile, after)
}

/** PROF-41: platform staff are shown as such, even if they are admins of the workspace. */
function actorOf({ actor }: BrandTx) {
  if (actor.kind !== 'person') throw notFound()
  return {
    actor_user_id: actor.person_id,
    actor_role: actor.is_staff ? 'platform_admin' : 'brand_admin',
  }
}

/** PROF-33, PROF-34: a key that nothing bears and a coder that is closed are one answer. */
async function getOpen(ctx: BrandCtx, key: string) {
  const { overrides, closed } = await readChoices(ctx)
  const profile = findInCatalog(key)
  if (!profile || closed.has(profile.coder)) throw notFound()
  return { profile, overrides }
}
