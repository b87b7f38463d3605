import type { Repository } from '@crewhall/contracts/code-index/projects.ts'
import * as refused from '@crewhall/contracts/code-index/refusals.ts'
import type { NewRepository } from '@crewhall/contracts/code-index/repository.ts'
import type { BrandCtx, BrandTx, OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { Outbound } from '#platform/outbound/outbound.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { getProject, lockOpenProject } from '../projects/projects.service.ts'
import { type Remote, remoteOf } from './remote.rules.ts'
import { auditedRepository, presentRepository } from './repositories.present.ts'
import * as store from './repositories.store.ts'
import { type Credential, sealCredential } from './sealed-credential.ts'

export interface RepositoryDeps {
  readonly outbound: Outbound
  readonly secret_box: SecretBox
  /** Where `file:` addresses may lie; without one there are none. */
  readonly file_root: string | undefined
}

/** Whether there is such a project with a repository, archived or not. */
export const isAttached = async (ctx: BrandCtx, project_id: string): Promise<boolean> =>
  (await store.findRepository(ctx, project_id)) !== undefined

/** The project that has had a repository for the longest time; archived ones do not count. */
export const oldestAttached = async (ctx: BrandCtx): Promise<string | undefined> =>
  (await store.findOldestRepository(ctx))?.project_id

/** Asks the network, so it comes before the transaction. An unknown project is refused before its address is judged. */
export async function judgeAddress(
  ctx: OutsideBrandCtx,
  { outbound, file_root }: RepositoryDeps,
  project_id: string,
  given: NewRepository,
): Promise<Remote> {
  await getProject(ctx, project_id)
  const remote = remoteOf(given.url, file_root)
  if (!remote) throw refused.repositoryAddressRefused()
  if (remote.kind !== 'file' && !(await outbound.mayCall(ctx, remote.judged)))
    throw refused.repositoryAddressRefused()
  refuseMismatch(remote, given)
  return remote
}

function refuseMismatch(remote: Remote, { username, password, private_key, host_keys = [] }: NewRepository) {
  const hasPassword = username !== undefined || password !== undefined
  const isRight = {
    web: !private_key && (!hasPassword || password !== undefined),
    ssh: !hasPassword,
    file: !private_key && !hasPassword,
  }
  if (!isRight[remote.kind]) throw refused.credentialMismatch()
  if (remote.kind === 'ssh' && host_keys.length === 0) throw refused.hostKeysMissing()
}

/** For an address that has been judged. */
export const attachRepository = (
  ctx: BrandCtx,
  { secret_box }: RepositoryDeps,
  project_id: string,
  given: NewRepository,
): Promise<Repository> =>
  ctx.tx(async (ctx) => {
    await lockOpenProject(ctx, project_id)
    const before = await store.lockRepository(ctx, project_id)
    // Shown to nobody but the address that it was given for.
    const kept = before?.url === given.url ? before : undefined
    const sent = credentialOf(given)
    const row = await store.insertRepository(ctx, {
      project_id,
      url: given.url,
      branch: given.branch ?? null,
      credential_kind: sent?.kind ?? kept?.credential_kind ?? 'none',
      credential: sent
        ? sealCredential(secret_box, ctx.brandId, project_id, sent)
        : (kept?.credential ?? null),
      host_keys: given.host_keys ?? [],
    })
    if (!row) throw refused.projectNotFound()
    await tell(ctx, 'attached', before, row)
    return presentRepository(row)
  })

export const detachRepository = (ctx: BrandCtx, project_id: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    await getProject(ctx, project_id)
    const row = await store.deleteRepository(ctx, project_id)
    if (!row) throw refused.noRepository()
    await tell(ctx, 'detached', row, undefined)
  })

function credentialOf({ username = '', password, private_key }: NewRepository): Credential | undefined {
  if (password !== undefined) return { kind: 'password', username, password }
  return private_key === undefined ? undefined : { kind: 'ssh_key', private_key }
}

async function tell(
  ctx: BrandTx,
  what: 'attached' | 'detached',
  before: store.RepositoryRow | undefined,
  after: store.RepositoryRow | undefined,
): Promise<void> {
  const project_id = (after ?? before)?.project_id ?? ''
  await ctx.emit({ type: `repository.${what}`, subject_id: project_id, data: { project_id } })
  await ctx.audit({
    action: `repository.${what}`,
    target: `project:${project_id}`,
    from: before ? auditedRepository(before) : null,
    to: after ? auditedRepository(after) : null,
  })
}
