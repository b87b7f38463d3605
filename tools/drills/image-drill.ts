import { randomBytes } from 'node:crypto'
import { chmodSync, lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { run } from '@crewhall/services/commands.ts'
import { findServiceFacts } from '@crewhall/services/facts.ts'
import { createDatabase } from '@crewhall/testkit/databases.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { Lock } from '../check/lock-check.ts'
import { type BuiltImage, buildImage, lastCommit } from '../image/build-image.ts'
import { type ContainerStorage, openStorage } from '../image/container-storage.ts'
import { findImageFaults, type ImageFile } from '../image/image-faults.ts'
import { startContainer } from './container-run.ts'
import { obstacleToContainers } from './container-tools.ts'
import type { Drill } from './drill.ts'
import { ensureNodeBase, npmSettings } from './node-base.ts'

const root = resolve(import.meta.dirname, '../..')
const mostBytes = 400_000_000
const names = {
  server: 'localhost/crewhall',
  worker: 'localhost/crewhall-worker',
  hub: 'localhost/crewhall-hub',
  cli: 'localhost/crewhall-cli',
}

/** Builds the images of the last commit, looks at what is in them, and runs them as strictly as can be. */
export const imageDrill: Drill = {
  name: 'image',
  async obstacle() {
    if (!findServiceFacts()) return 'the services are not up: npm run services -- up'
    return obstacleToContainers()
  },
  async run(check, size) {
    const storage = openStorage()
    const how = {
      storage,
      commit: await lastCommit(),
      node_digest: await ensureNodeBase(storage),
      ...(await npmSettings()),
    }
    const build = (target: keyof typeof names, more = {}) =>
      buildImage({ ...how, target, name: names[target], ...more })
    const server = await check('server builds from the last commit', async () => {
      const image = await build('server')
      return [image, `${sizeOf(image)}, ${image.layers.length} layers`]
    })
    if (!server) return
    await check('labels name version, commit and base', async () => {
      const { labels } = server
      for (const key of ['version', 'revision', 'licenses', 'base.name', 'base.digest'])
        expectThat(labels[`org.opencontainers.image.${key}`], `no label ${key}`)
      expectThat(
        labels['org.opencontainers.image.base.digest'] === how.node_digest,
        'the label names another base',
      )
      const revision = labels['org.opencontainers.image.revision'] ?? ''
      expectThat(revision === how.commit, `the label names the commit ${revision}`)
      return [true, revision.slice(0, 12)]
    })
    await check('a base with another digest is refused', async () => {
      const other = `sha256:${'0'.repeat(64)}`
      const refused = await build('server', { node_digest: other, name: 'localhost/refused' }).then(
        () => false,
        (error: Error) => error.message.includes(other),
      )
      expectThat(refused, 'it was built')
      return [true, '']
    })
    for (const target of ['worker', 'hub', 'cli'] as const)
      await check(`${target} builds`, async () => {
        const image = await build(target)
        const revision = image.labels['org.opencontainers.image.revision']
        expectThat(revision === how.commit, `the label names the commit ${revision}`)
        expectThat(image.bytes <= mostBytes, `${sizeOf(image)} is above the limit`)
        return [image, sizeOf(image)]
      })
    await check('server is at most 400 MB', async () => {
      expectThat(server.bytes <= mostBytes, `${sizeOf(server)} is above the limit`)
      return [true, sizeOf(server)]
    })
    await check('lists hold nothing that does not belong there', async () => {
      const counts = []
      for (const [target, name] of Object.entries(names))
        counts.push(
          `${target} ${await inspectFiles(storage, name, ['worker', 'hub'].includes(target))} files`,
        )
      return [true, counts.join(', ')]
    })
    await check('SBOM and licences lie beside it', async () => checkPapers(storage, how))
    await runStrictly(storage, check)
    if (size !== 'full') return
    await check('the same commit gives the same layers again', async () => {
      const again = await build('server', { is_fresh: true, name: `${names.server}:again` })
      const different = again.layers.filter((layer, at) => layer !== server.layers[at])
      expectThat(different.length === 0, `${different.length} of ${again.layers.length} layers differ`)
      return [true, `${again.layers.length} layers, ${again.id === server.id ? 'same' : 'another'} image id`]
    })
  },
}

const sizeOf = ({ bytes }: BuiltImage): string => `${(bytes / 1e6).toFixed(0)} MB`

function expectThat(holds: unknown, fault: string): asserts holds {
  if (!holds) throw new Error(fault)
}

async function inspectFiles({ env }: ContainerStorage, name: string, has_shell: boolean): Promise<number> {
  const place = (await run('podman', ['image', 'mount', name], { env })).trim()
  try {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
    const files = listFiles(place)
    const faults = findImageFaults(files, lock, { has_shell })
    const shown = faults.slice(0, 20).map(({ path, fault }) => `${path} ${fault}`)
    expectThat(faults.length === 0, `${faults.length} faults in ${name}:\n${shown.join('\n')}`)
    return files.length
  } finally {
    await run('podman', ['image', 'unmount', name], { env })
  }
}

/** Ours are texts; what packages hold is theirs, and examples of keys among it. */
const isOwnText = (path: string): boolean =>
  path.startsWith('app/') &&
  !path.includes('/node_modules/') &&
  /\.(ts|json|sql|sh|txt|mjs|cjs|js)$/.test(path)

function listFiles(place: string): ImageFile[] {
  const files: ImageFile[] = []
  const walk = (folder: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const full = join(folder, entry.name)
      const path = relative(place, full)
      const { mode, uid } = lstatSync(full)
      const kind = entry.isSymbolicLink() ? 'link' : entry.isDirectory() ? 'folder' : 'file'
      if (kind === 'link') readlinkSync(full)
      const text = kind === 'file' && isOwnText(path) ? { text: readFileSync(full, 'utf8') } : {}
      files.push({ path, kind, mode: mode & 0o7777, uid, ...text })
      if (kind === 'folder') walk(full)
    }
  }
  walk(place)
  return files
}

async function checkPapers(
  storage: ContainerStorage,
  how: { commit: string; node_digest: string; npmrc: string; npm_cache: string },
): Promise<[true, string]> {
  const output = join(storage.folder, 'papers')
  rmSync(output, { recursive: true, force: true })
  await buildImage({ ...how, storage, target: 'papers', name: 'papers', output })
  const sbom = JSON.parse(readFileSync(join(output, 'sbom.cdx.json'), 'utf8')) as {
    bomFormat: string
    components: { name: string; purl?: string }[]
  }
  expectThat(sbom.bomFormat === 'CycloneDX', 'the SBOM is not in CycloneDX')
  for (const name of ['fastify', 'pg', 'node', 'libc6'])
    expectThat(
      sbom.components.some((each) => each.name === name),
      `the SBOM does not name ${name}`,
    )
  for (const name of ['vitest', 'playwright-core', 'typescript'])
    expectThat(!sbom.components.some((each) => each.name === name), `the SBOM names ${name}`)
  const licences = readFileSync(join(output, 'licences.txt'), 'utf8').trim().split('\n')
  const unknown = licences.filter((line) => line.endsWith(' UNKNOWN'))
  expectThat(unknown.length === 0, `no licence known of ${unknown.join('; ')}`)
  return [true, `${sbom.components.length} components, ${licences.length} licences`]
}

type Check = Parameters<Drill['run']>[0]

/** On a database of its own in the shared PostgreSQL. */
async function runStrictly(storage: ContainerStorage, check: Check): Promise<void> {
  const facts = findServiceFacts()
  if (!facts) return
  const database = await createDatabase(`drill_${randomBytes(5).toString('hex')}`)
  const ports = { http: await freePort(), inside: await freePort() }
  const secrets = {
    DATABASE_URL: database.url,
    REDIS_URL: facts.redis.url,
    SIGNING_KEY: randomBytes(32).toString('base64url'),
    S3_ACCESS_KEY_ID: facts.s3.access_key_id,
    S3_SECRET_ACCESS_KEY: facts.s3.secret_access_key,
  }
  const env = {
    ENVIRONMENT: 'production',
    PUBLIC_URL: 'https://crewhall.example',
    S3_ENDPOINT: facts.s3.endpoint,
    S3_BUCKET: facts.s3.bucket,
    REDIS_PREFIX: `${database.name}:`,
    S3_PREFIX: `${database.name}/`,
  }
  try {
    await check('read-only and without capabilities: migrate', async () => {
      const migrate = startContainer(storage, {
        image: names.server,
        args: ['apps/server/src/migrate.ts'],
        env,
        secrets: { ...secrets, DATABASE_OWNER_URL: database.owner_url },
      })
      expectThat((await migrate.ended) === 0, migrate.output())
      return [true, 'ends with 0']
    })
    await check('the same: api serves health, readiness and the dashboard', async () => {
      const more = { HTTP_PORT: String(ports.http), METRICS_PORT: String(ports.inside) }
      const api = startContainer(storage, {
        image: names.server,
        args: [],
        env: { ...env, ...more },
        secrets,
      })
      try {
        const at = `http://127.0.0.1:${ports.http}`
        const began = performance.now()
        const gone = api.ended.then((code) => {
          throw new Error(`ended with ${code}: ${api.output()}`)
        })
        await Promise.race([
          gone,
          waitFor(async () => (await fetch(`${at}/api/v1/system/health`)).ok, 60_000),
        ])
        const seconds = ((performance.now() - began) / 1000).toFixed(1)
        expectThat((await fetch(`http://127.0.0.1:${ports.inside}/ready`)).ok, 'it is not ready')
        expectThat((await fetch(`${at}/dashboard`)).ok, 'there is no dashboard')
        api.child.kill('SIGTERM')
        gone.catch(() => {})
        expectThat((await api.ended) === 0, `it did not end well:\n${api.output()}`)
        return [true, `health after ${seconds} s`]
      } finally {
        api.child.kill('SIGTERM')
      }
    })
    await check('the same: a worker starts, and has git and ssh', async () => {
      const probe = `for (const [name, flag] of [['git', '--version'], ['ssh', '-V']])
        require('node:child_process').execFileSync(name, [flag], { stdio: 'inherit' })`
      const git = startContainer(storage, { image: names.worker, args: ['-e', probe] })
      expectThat((await git.ended) === 0, git.output())
      const worker = startContainer(storage, {
        image: names.worker,
        args: [],
        env: { ...env, METRICS_PORT: '0' },
        secrets,
      })
      try {
        const gone = worker.ended.then((code) => {
          throw new Error(`ended with ${code}: ${worker.output()}`)
        })
        await Promise.race([gone, waitFor(() => worker.output().includes('"msg":"ready"'), 60_000)])
        gone.catch(() => {})
        worker.child.kill('SIGTERM')
        expectThat((await worker.ended) === 0, `it did not end well:\n${worker.output()}`)
      } finally {
        worker.child.kill('SIGTERM')
      }
      return [true, git.output().trim().split('\n').join(', ')]
    })
    await check('the same: the command line tells its version', async () => {
      const cli = startContainer(storage, { image: names.cli, args: ['--version'] })
      expectThat((await cli.ended) === 0, cli.output())
      return [true, cli.output().trim()]
    })
    await check('the same: nothing but /tmp can be written', async () => {
      const probe = `const fs = require('node:fs'); fs.writeFileSync('/tmp/x', ''); const written = []
        for (const path of ['/app/x', '/etc/x', '/x', '/usr/local/bin/node', '/var/tmp/x'])
          try { fs.writeFileSync(path, '') ; written.push(path) } catch {}
        const status = fs.readFileSync('/proc/self/status', 'utf8')
        console.log(JSON.stringify({ written, uid: process.getuid(), caps: /CapEff:\\s*(\\w+)/.exec(status)[1],
          bounding: /CapBnd:\\s*(\\w+)/.exec(status)[1], locked: /NoNewPrivs:\\s*(\\d)/.exec(status)[1] }))`
      const shown = startContainer(storage, { image: names.server, args: ['-e', probe] })
      expectThat((await shown.ended) === 0, shown.output())
      const zero = '0000000000000000'
      const wanted = JSON.stringify({ written: [], uid: 10001, caps: zero, bounding: zero, locked: '1' })
      expectThat(shown.output().trim() === wanted, shown.output())
      return [true, 'user 10001, no capability']
    })
  } finally {
    await database.drop()
    for (const name of readdirSync(storage.folder))
      if (name.startsWith('secrets-')) {
        chmodSync(join(storage.folder, name), 0o700)
        rmSync(join(storage.folder, name), { recursive: true })
      }
  }
}
