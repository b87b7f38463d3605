import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { run } from '@crewhall/services/commands.ts'
import { type ContainerStorage, findObstacle, openStorage } from './container-storage.ts'

const root = resolve(import.meta.dirname, '../..')

export interface BuiltImage {
  readonly name: string
  readonly id: string
  /** Digests of the layers before compression, lowest first. */
  readonly layers: readonly string[]
  readonly bytes: number
  readonly labels: Readonly<Record<string, string>>
}

export interface BuildOptions {
  readonly storage: ContainerStorage
  readonly target: string
  readonly name: string
  /** Of the base, `sha256:…`. */
  readonly node_digest: string
  readonly commit?: string
  /** Settings of npm for the time of the build; they are in no layer. */
  readonly npmrc?: string
  /** A cache of npm on this machine that the build may use; it is in no layer either. */
  readonly npm_cache?: string
  /** Runs every step again. */
  readonly is_fresh?: boolean
  /** Whether a base that is not here may be fetched. */
  readonly may_pull?: boolean
  /** Instead of an image: a folder for the files of the target. */
  readonly output?: string
}

/** Where a build finds the cache. */
export const npmCacheInside = '/var/cache/npm'

/** The last commit now, for several builds of the same. */
export const lastCommit = async (): Promise<string> =>
  (await run('git', ['-C', root, 'rev-parse', 'HEAD'])).trim()

interface UnpackedCommit {
  readonly sources: string
  /** Its time, in seconds. */
  readonly epoch: string
  /** Arguments of the Dockerfile. */
  readonly values: Readonly<Record<string, string>>
}

/** Nothing but the files of a commit, in the folder `sources` of another. */
export async function unpackCommit(context: string, commit: string): Promise<UnpackedCommit> {
  const git = async (...args: string[]) => (await run('git', ['-C', root, ...args])).trim()
  const revision = await git('rev-parse', `${commit}^{commit}`)
  const epoch = await git('log', '-1', '--format=%ct', revision)
  const archive = join(context, 'sources.tar')
  const sources = join(context, 'sources')
  mkdirSync(sources)
  await git('archive', '--format=tar', '-o', archive, revision)
  await run('tar', ['-xpf', archive, '-C', sources])
  const { version } = JSON.parse(readFileSync(join(sources, 'package.json'), 'utf8')) as { version: string }
  return { sources, epoch, values: { VERSION: version, REVISION: revision, SOURCE_DATE_EPOCH: epoch } }
}

/** Builds a target of the Dockerfile from a commit and from nothing else; the same commit gives the same layers. */
export async function buildImage(options: BuildOptions): Promise<BuiltImage> {
  const { storage, target, name, node_digest, commit = 'HEAD' } = options
  const context = mkdtempSync(join(storage.folder, 'context-'))
  try {
    const { sources, epoch, values } = await unpackCommit(context, commit)
    const secret = join(context, 'npmrc')
    writeFileSync(secret, options.npmrc ?? '', { mode: 0o600 })
    const args = ['build', '--format', 'docker', '--layers', '--timestamp', epoch]
    args.push('--pull'.concat(options.may_pull ? '=true' : '=never'), '--secret', `id=npmrc,src=${secret}`)
    for (const [key, value] of Object.entries({ NODE_DIGEST: node_digest, ...values }))
      args.push('--build-arg', `${key}=${value}`)
    // buildah takes a layer of an earlier build for one with other values of its arguments: labels would name another commit.
    const steps = readFileSync(join(sources, 'Dockerfile'), 'utf8')
    const literal = steps.replace(/\$\{(VERSION|REVISION)\}/g, (_, key: string) => values[key] ?? '')
    writeFileSync(join(context, 'Dockerfile'), literal)
    args.push('--file', join(context, 'Dockerfile'))
    if (options.npm_cache) args.push('--volume', `${options.npm_cache}:${npmCacheInside}:rw`)
    if (options.is_fresh) args.push('--no-cache')
    args.push('--target', target)
    if (options.output === undefined) args.push('--tag', name)
    else args.push('--output', `type=local,dest=${options.output}`)
    await run('buildah', [...args, sources], { env: storage.env })
    if (options.output !== undefined) return { name, id: '', layers: [], bytes: 0, labels: {} }
  } finally {
    rmSync(context, { recursive: true, force: true })
  }
  return inspectImage(storage, name)
}

export async function inspectImage(storage: ContainerStorage, name: string): Promise<BuiltImage> {
  const [found] = JSON.parse(await run('podman', ['image', 'inspect', name], { env: storage.env })) as {
    Id: string
    Size: number
    RootFS: { Layers: string[] }
    Labels: Record<string, string> | null
  }[]
  if (!found) throw new Error(`there is no image ${name}`)
  return {
    name,
    id: found.Id,
    layers: found.RootFS.Layers,
    bytes: found.Size,
    labels: found.Labels ?? {},
  }
}

const usage =
  'usage: npm run image -- --digest sha256:… [--target server|worker|cli] [--name NAME] [--papers FOLDER]'

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      digest: { type: 'string' },
      target: { type: 'string', default: 'server' },
      name: { type: 'string' },
      papers: { type: 'string' },
    },
  })
  const obstacle = await findObstacle()
  // A base that only a tag names may be another one tomorrow.
  const fault = obstacle ?? (/^sha256:[0-9a-f]{64}$/.test(values.digest ?? '') ? undefined : usage)
  if (fault) {
    console.error(fault)
    process.exit(64)
  }
  const { digest: node_digest = '', target, papers } = values
  const name = values.name ?? (target === 'server' ? 'crewhall' : `crewhall-${target}`)
  const how = { storage: openStorage(), node_digest, may_pull: true }
  const { id, bytes } = await buildImage({ ...how, target, name })
  console.log(`${name} ${id} ${(bytes / 1e6).toFixed(0)} MB`)
  if (papers) await buildImage({ ...how, target: 'papers', name: 'papers', output: resolve(papers) })
}
