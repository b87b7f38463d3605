import { randomBytes } from 'node:crypto'
import type { PushNotice, PushSecret, pushResults } from '@crewhall/contracts/code-index/push-hook.ts'
import { receivePush as receiving } from '@crewhall/contracts/code-index/push-hook.ts'
import * as refused from '@crewhall/contracts/code-index/refusals.ts'
import type { BrandCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { Signer } from '#platform/http/handle.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { lockOpenProject } from '../projects/projects.service.ts'
import { askForRun } from '../runs/runs.service.ts'
import { concernsBranch } from './push-hook.rules.ts'
import * as store from './push-hook.store.ts'
import { pushPlaceOf } from './sealed-credential.ts'

/** Replaces the one before at once: its sender only says that there is something to fetch, and remotes are asked anyway. */
export const rotatePushSecret = (ctx: BrandCtx, box: SecretBox, project_id: string): Promise<PushSecret> =>
  ctx.tx(async (ctx) => {
    await lockOpenProject(ctx, project_id)
    const secret = `whsec_${randomBytes(32).toString('hex')}`
    const sealed = box.seal(pushPlaceOf(ctx.brandId, project_id), secret)
    const row = await store.updatePushSecret(ctx, project_id, sealed)
    if (!row) throw refused.noRepository()
    await ctx.audit({
      action: 'repository.push_secret_rotated',
      target: `project:${project_id}`,
      from: null,
      to: null,
    })
    const path = receiving.path.replace('{project_id}', project_id)
    return { secret, path, push_secret_set_at: row.push_secret_set_at }
  })

export interface Hook extends Signer {
  readonly brand_id: number
  readonly branch: string | null
}

/** Undefined for a project that does not exist, is archived, or has no secret that can be opened. */
export async function findHook(
  ctx: SystemCtx,
  box: SecretBox,
  project_id: string,
): Promise<Hook | undefined> {
  const row = await store.findHook(ctx, project_id)
  if (!row) return undefined
  const { brand_id, branch, push_secret } = row
  const secret = box.open(pushPlaceOf(brand_id, project_id), push_secret)
  return secret === undefined ? undefined : { brand_id, branch, secret }
}

/** Nothing is taken from what was sent but whether to ask the remote, so it is harmless to send it again. */
export async function receivePush(
  ctx: SystemCtx,
  { brand_id, branch }: Hook,
  project_id: string,
  notice: PushNotice,
): Promise<{ result: (typeof pushResults)[number] }> {
  if (!concernsBranch(notice, branch)) return { result: 'other_branch' }
  await ctx.forBrand(brand_id).tx((ctx) => askForRun(ctx, project_id, 'pushed'))
  return { result: 'requested' }
}
