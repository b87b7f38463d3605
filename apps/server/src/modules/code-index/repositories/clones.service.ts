import { mkdir } from 'node:fs/promises'
import type { IndexFault } from '@crewhall/contracts/code-index/index-state.ts'
import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { GitOrder, GitResult } from '#platform/git/run-git.ts'
import type { Outbound, Pinned } from '#platform/outbound/outbound.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import type { ClonePlaces } from './clone-places.ts'
import { faultOf } from './fetch-fault.rules.ts'
import { knownHosts, type Remote, remoteOf, sshCommand } from './remote.rules.ts'
import type { RepositoryRow } from './repositories.store.ts'
import { type Credential, openCredential } from './sealed-credential.ts'

export interface CloneDeps {
  readonly places: ClonePlaces
  readonly outbound: Outbound
  readonly secret_box: SecretBox
  readonly run_git: (order: GitOrder) => Promise<GitResult>
  readonly file_root: string | undefined
  /** Certificates of authorities that git is to trust besides those of the machine. */
  readonly ca_file: string | undefined
  readonly limits: {
    readonly repository_bytes: number
    readonly workspace_bytes: number
    readonly objects: number
    readonly fetch_ms: number
  }
}

/** Nothing was fetched. Tried again, it would be the same until somebody changes something. */
export class FetchFault extends Error {
  override readonly name = 'FetchFault'
  readonly fault: IndexFault
  constructor(fault: IndexFault) {
    super(`not fetched: ${fault}`)
    this.fault = fault
  }
}

export interface Fetched {
  readonly git_dir: string
  readonly commit: string
}

/** What git needs to reach the remote, and nothing else. */
type Access = Pick<GitOrder, 'settings' | 'env'>

/** Whole, because renames need all contents. Objects are checked as they come in. */
const fetchSettings: readonly (readonly [string, string])[] = [
  ['fetch.fsckObjects', 'true'],
  // Harmless, and common in old histories.
  ...['badTimezone', 'missingSpaceBeforeDate', 'zeroPaddedFilemode'].map(
    (fault) => [`fetch.fsck.${fault}`, 'ignore'] as const,
  ),
  ['fetch.unpackLimit', '1'],
  ['fetch.writeCommitGraph', 'false'],
  ['core.bigFileThreshold', '8m'],
  ['pack.threads', '1'],
]
const head = 'refs/crewhall/head'
const indexed = 'refs/crewhall/indexed'
const mostPacks = 40
const askMs = 30_000
const localMs = 120_000

/** The newest commit of the branch, in a copy that is brought up to date or made. */
export async function fetchRepository(
  ctx: OutsideBrandCtx,
  deps: CloneDeps,
  row: RepositoryRow,
  signal: AbortSignal,
): Promise<Fetched> {
  const { places, limits, run_git } = deps
  const id = { brand_id: ctx.brandId, project_id: row.project_id, generation: row.generation }
  const git_dir = places.dirOf(id)
  await mkdir(git_dir, { recursive: true, mode: 0o700 })
  await places.clearLeftovers(id)
  await places.clearSecrets(id, ctx.now())
  await must(run_git({ args: ['init', '-q', '--bare', git_dir], limit_ms: localMs, signal }))
  const commit = await withAccess(ctx, deps, row, signal, async (remote, access) => {
    const ref = await refOf(deps, row, remote, access, signal)
    await ctx.faultPoint('code-index.asked')
    const [own, all] = [await places.bytesOf(id), await places.bytesOfBrand(ctx.brandId)]
    const left = Math.min(limits.repository_bytes - own, limits.workspace_bytes - all)
    if (left <= 0) throw new FetchFault('too_large')
    const fetch = ['fetch', '-q', '--force', '--no-tags', '--no-recurse-submodules', '--update-shallow']
    const result = await run_git({
      args: [`--git-dir=${git_dir}`, ...fetch, '--no-write-fetch-head', '--', remote.url, `+${ref}:${head}`],
      settings: [...fetchSettings, ...(access.settings ?? [])],
      env: access.env ?? {},
      limit_ms: limits.fetch_ms,
      file_bytes: left,
      signal,
    }).finally(() => places.clearLeftovers(id))
    await must(Promise.resolve(result))
    return commitOf(deps, git_dir, signal)
  })
  await ctx.faultPoint('code-index.fetched')
  await refuseTooMuch(deps, git_dir, id, signal)
  return { git_dir, commit }
}

/** The commit that the branch has now; asks the remote and fetches nothing. */
export const askRemote = (
  ctx: OutsideBrandCtx,
  deps: CloneDeps,
  row: RepositoryRow,
  signal: AbortSignal,
): Promise<string> =>
  withAccess(ctx, deps, row, signal, async (remote, access) => {
    const ref = row.branch === null ? 'HEAD' : `refs/heads/${row.branch}`
    const lines = await listRemote(deps, remote, access, [ref], signal)
    const found = lines.find(([what, name]) => name === ref && isCommit(what))
    if (!found) throw new FetchFault(row.branch === null ? 'empty' : 'branch_missing')
    return found[0]
  })

/** The indexed commit stays in the copy, whatever happens to the branch: the next index is compared with it. */
export async function keepIndexed(
  { run_git }: CloneDeps,
  { git_dir, commit }: Fetched,
  signal: AbortSignal,
): Promise<void> {
  const at = `--git-dir=${git_dir}`
  await must(run_git({ args: [at, 'update-ref', indexed, commit], limit_ms: localMs, signal }))
  const { stdout } = await must(run_git({ args: [at, 'count-objects', '-v'], limit_ms: localMs, signal }))
  if (numberIn(stdout, 'packs') > mostPacks)
    await run_git({ args: [at, 'repack', '-a', '-d', '-q'], limit_ms: localMs, signal })
}

async function withAccess<T>(
  ctx: OutsideBrandCtx,
  deps: CloneDeps,
  row: RepositoryRow,
  signal: AbortSignal,
  work: (remote: Remote, access: Access) => Promise<T>,
): Promise<T> {
  const remote = remoteOf(row.url, deps.file_root)
  if (!remote) throw new FetchFault('address')
  if (remote.kind === 'file') return work(remote, { env: { GIT_ALLOW_PROTOCOL: 'file' } })
  const pinned = await deps.outbound.pin(ctx, remote.judged, signal)
  if ('failure' in pinned) throw new FetchFault(pinned.failure === 'address' ? 'address' : 'unreachable')
  const credential = credentialOf(ctx, deps, row)
  if (remote.kind === 'web') return work(remote, webAccess(remote.url, pinned, credential, deps.ca_file))
  const [address = ''] = pinned.addresses
  const id = { brand_id: ctx.brandId, project_id: row.project_id, generation: row.generation }
  const texts = {
    key: credential?.kind === 'ssh_key' ? `${credential.private_key.trimEnd()}\n` : '',
    known_hosts: knownHosts(remote.host, row.host_keys),
  }
  return deps.places.withFiles(id, texts, ({ key = '', known_hosts = '' }) =>
    work(remote, {
      env: {
        GIT_ALLOW_PROTOCOL: 'ssh',
        GIT_SSH_VARIANT: 'ssh',
        GIT_SSH_COMMAND: sshCommand(remote.host, address, { key, known_hosts }),
      },
    }),
  )
}

function credentialOf(
  ctx: OutsideBrandCtx,
  { secret_box }: CloneDeps,
  { project_id, credential }: RepositoryRow,
): Credential | undefined {
  return credential === null ? undefined : openCredential(secret_box, ctx.brandId, project_id, credential)
}

function webAccess(
  url: string,
  { host, port, addresses }: Pinned,
  credential: Credential | undefined,
  caFile: string | undefined,
): Access {
  const pins = addresses.map((each) => (each.includes(':') ? `[${each}]` : each)).join(',')
  const basic =
    credential?.kind === 'password'
      ? Buffer.from(`${credential.username}:${credential.password}`).toString('base64')
      : undefined
  return {
    settings: [
      // What was looked up and judged is what is connected to.
      ['http.curloptResolve', `${host}:${port}:${pins}`],
      ['http.followRedirects', 'false'],
      ['http.proxy', ''],
      ['http.lowSpeedLimit', '1000'],
      ['http.lowSpeedTime', '60'],
      ['http.emptyAuth', 'false'],
      ...(basic ? [['http.extraHeader', `Authorization: Basic ${basic}`] as const] : []),
      ...(caFile ? [['http.sslCAInfo', caFile] as const] : []),
    ],
    env: { GIT_ALLOW_PROTOCOL: url.startsWith('https:') ? 'https' : 'http' },
  }
}

/** The full name of the branch. */
async function refOf(
  deps: CloneDeps,
  row: RepositoryRow,
  remote: Remote,
  access: Access,
  signal: AbortSignal,
): Promise<string> {
  if (row.branch !== null) return `refs/heads/${row.branch}`
  const lines = await listRemote(deps, remote, access, ['HEAD'], signal)
  const named = lines.find(([what, name]) => name === 'HEAD' && what.startsWith('ref: '))
  if (!lines.some(([what, name]) => name === 'HEAD' && isCommit(what))) throw new FetchFault('empty')
  return named ? named[0].slice('ref: '.length) : 'HEAD'
}

async function listRemote(
  { run_git }: CloneDeps,
  remote: Remote,
  access: Access,
  patterns: readonly string[],
  signal: AbortSignal,
): Promise<(readonly [string, string])[]> {
  const { stdout } = await must(
    run_git({
      ...access,
      args: ['ls-remote', '-q', '--symref', '--', remote.url, ...patterns],
      limit_ms: askMs,
      output_bytes: 1024 * 1024,
      signal,
    }),
  )
  return stdout.split('\n').flatMap((line) => {
    const [what, name] = line.split('\t')
    return what && name ? [[what, name] as const] : []
  })
}

const isCommit = (text: string): boolean => /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text)

async function commitOf({ run_git }: CloneDeps, git_dir: string, signal: AbortSignal): Promise<string> {
  const args = [`--git-dir=${git_dir}`, 'rev-parse', '--verify', '-q', `${head}^{commit}`]
  const { stdout } = await must(run_git({ args, limit_ms: localMs, signal }))
  const commit = stdout.trim()
  if (!isCommit(commit)) throw new FetchFault('damaged')
  return commit
}

async function refuseTooMuch(
  { places, limits, run_git }: CloneDeps,
  git_dir: string,
  id: Parameters<ClonePlaces['drop']>[0],
  signal: AbortSignal,
): Promise<void> {
  const args = [`--git-dir=${git_dir}`, 'count-objects', '-v']
  const { stdout } = await must(run_git({ args, limit_ms: localMs, signal }))
  const objects = numberIn(stdout, 'count') + numberIn(stdout, 'in-pack')
  const fault = objects > limits.objects ? 'too_many_objects' : undefined
  const isLarge = (await places.bytesOf(id)) > limits.repository_bytes
  if (!fault && !isLarge) return
  await places.drop(id)
  throw new FetchFault(fault ?? 'too_large')
}

const numberIn = (text: string, name: string): number =>
  Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1] ?? 0)

async function must(running: Promise<GitResult>): Promise<GitResult> {
  const result = await running
  if (result.ended === 'signal') throw new DOMException('the run was ended', 'AbortError')
  if (result.ended === 'time') throw new FetchFault('too_slow')
  if (result.ended === 'size' || result.ended === 'output') throw new FetchFault('too_large')
  if (result.code !== 0) throw new FetchFault(faultOf(result.stderr))
  return result
}
