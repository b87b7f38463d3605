import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { startGitServer } from '@crewhall/testkit/git/git-server.ts'
import { hostileUrls } from '@crewhall/testkit/hostile/hostile-urls.ts'
import { type NameServer, startNameServer } from '@crewhall/testkit/name-server.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  attached,
  type IndexHome,
  indexNow,
  newRepository,
  openIndexHome,
  smallSources,
} from './index-world.ts'
import { ProjectWorkspace } from './project-world.ts'

const server = useServer('product')
let home: IndexHome
let names: NameServer
let work: ProjectWorkspace
let worker: ServerProcess
let startWorker: (env?: Record<string, string>) => Promise<ServerProcess>
/** What the name stands for, each time it is asked for. */
let lookups: string[]

beforeAll(async () => {
  home = await openIndexHome()
  names = await startNameServer({
    'moving.example': () => [lookups.shift() ?? '10.9.8.7'],
    'mixed.example': () => ['127.0.0.1', '10.9.8.7'],
  })
  const env = {
    ...home.env,
    OUTBOUND_NAME_SERVERS: names.address,
    CODE_INDEX_FETCH_SECONDS: '10',
    CODE_INDEX_REPOSITORY_MB: '20',
  }
  const api = await server.start('api', env)
  startWorker = (more = {}) => server.start('worker', { ...env, ...more })
  worker = await startWorker()
  work = await ProjectWorkspace.open({
    sql: server.sql,
    get: (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init),
  })
  const repository = newRepository(home)
  repository.commit(smallSources)
  repository.push()
})
afterAll(() => {
  home.close()
  names.close()
})

test('a name that leads elsewhere by the time of the fetch is not followed', async () => {
  const url = `http://moving.example:${home.git.port}/engine.git`
  lookups = ['127.0.0.1', '127.0.0.1', '10.9.8.7', '127.0.0.1']
  const id = await attached(work, url)
  // Git knows no name server of ours: it reaches the host only by the address that was judged.
  expect(await indexNow(work, id)).toMatchObject({ state: 'ready' })
  const asked = home.git.connections
  expect(await indexNow(work, id)).toMatchObject({ state: 'failed', fault: { code: 'address' } })
  expect(home.git.connections).toBe(asked)
  // The index before stays in use, and one lookup is all that a run does.
  expect(await indexNow(work, id)).toMatchObject({ state: 'ready' })
  expect(lookups).toEqual([])
  lookups = ['10.9.8.7']
  const mixed = await work.add()
  for (const host of ['moving.example', 'mixed.example'])
    expect(
      (await work.call('PUT', `/${mixed.id}/repository`, { url: `http://${host}:${home.git.port}/a.git` }))
        .status,
    ).toBe(422)
})

test('no URL of the corpus is fetched from, even if it was attached when it led elsewhere', async () => {
  const hostile = hostileUrls.filter((_, at) => at % Math.ceil(hostileUrls.length / scaled(1000, 8)) === 0)
  await worker.stop()
  const strict = await startWorker({ OUTBOUND_ALLOWED_NETWORKS: '' })
  const fetched: string[] = []
  const asked = home.git.connections
  for (const url of hostile) {
    const id = await attached(work, `${home.git.url}/engine.git`)
    await server.sql('update code_index.repositories set url = $2 where project_id = $1', [id, url])
    const { state, fault } = await indexNow(work, id)
    if (state !== 'failed' || !['address', 'unreachable'].includes(fault?.code ?? ''))
      fetched.push(`${url}: ${state} ${fault?.code}`)
  }
  expect(fetched).toEqual([])
  expect(home.git.connections).toBe(asked)
  await strict.stop()
  worker = await startWorker()
}, 600_000)

test('a remote that leads elsewhere is told as such, and nobody goes there', async () => {
  const inside = await startGitServer({ root: home.root })
  home.git.answer('/leads-away.git', (_, response) => {
    response.writeHead(301, { location: `${inside.url}/engine.git/info/refs?service=git-upload-pack` })
    response.end()
  })
  const id = await attached(work, `${home.git.url}/leads-away.git`)
  expect(await indexNow(work, id)).toMatchObject({ state: 'failed', fault: { code: 'redirected' } })
  expect(inside.connections).toBe(0)
  inside.close()
})

const packet = (text: string | Buffer): Buffer => {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes])
}
const someCommit = '1234567890123456789012345678901234567890'

/** Says that there is a branch, in the oldest version of the protocol, and leaves the rest to `pack`. */
function promises(name: string, pack: (response: ServerResponse) => void): void {
  home.git.answer(`/${name}/info/refs`, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
    response.end(
      Buffer.concat([
        packet('# service=git-upload-pack\n'),
        Buffer.from('0000'),
        packet(`${someCommit} HEAD\0side-band-64k symref=HEAD:refs/heads/main\n`),
        packet(`${someCommit} refs/heads/main\n`),
        Buffer.from('0000'),
      ]),
    )
  })
  home.git.answer(`/${name}/git-upload-pack`, (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' })
    response.write(packet('NAK\n'))
    pack(response)
  })
}

/** The head of a pack with one blob of five gigabytes. */
const promise = Buffer.concat([
  Buffer.from('PACK\0\0\0\x02\0\0\0\x01', 'latin1'),
  blobHead(5_000_000_000),
  Buffer.from([0x78, 0x01]),
])

function blobHead(size: number): Buffer {
  const bytes = [(3 << 4) | (size % 16)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(rest % 128)
  }
  return Buffer.from(bytes.map((byte, at) => (at < bytes.length - 1 ? byte | 0x80 : byte)))
}

const onBand = (bytes: Buffer) => packet(Buffer.concat([Buffer.from([1]), bytes]))

/** A stored block of the compressed stream: as much as one may hold, and never the last. */
const block = Buffer.concat([Buffer.from([0x00, 0xff, 0x7f, 0x00, 0x80]), Buffer.alloc(0x7fff)])

function writeOn(response: ServerResponse, bytes: Buffer): void {
  const go = () => {
    while (!response.destroyed && response.write(bytes));
  }
  response.on('drain', go)
  go()
}

const packsOf = (project_id: string): string[] => {
  const dir = join(home.dir, String(work.brand_id))
  const clone = readdirSync(dir).find((name) => name.startsWith(project_id)) ?? ''
  const packs = join(dir, clone, 'objects', 'pack')
  return existsSync(packs) ? readdirSync(packs) : []
}

test('a blob of 5 GB that is promised and sent without end is cut off at the limit', async () => {
  promises('endless.git', (response) => {
    response.write(onBand(promise))
    writeOn(response, onBand(block))
  })
  const id = await attached(work, `${home.git.url}/endless.git`)
  expect(await indexNow(work, id)).toMatchObject({ state: 'failed', fault: { code: 'too_large' } })
  expect(packsOf(id)).toEqual([])
})

test('a remote that promises and breaks off is damaged, and one that sends a byte now and then too slow', async () => {
  promises('broken.git', (response) => response.end(onBand(promise)))
  const broken = await attached(work, `${home.git.url}/broken.git`)
  expect(await indexNow(work, broken)).toMatchObject({ state: 'failed', fault: { code: 'damaged' } })
  const timers: NodeJS.Timeout[] = []
  promises('trickle.git', (response) => {
    response.write(onBand(Buffer.concat([promise, block.subarray(0, 5)])))
    timers.push(setInterval(() => response.write(onBand(Buffer.from([0]))), 500))
  })
  const slow = await attached(work, `${home.git.url}/trickle.git`)
  expect(await indexNow(work, slow)).toMatchObject({ state: 'failed', fault: { code: 'too_slow' } })
  for (const timer of timers) clearInterval(timer)
  expect(packsOf(slow)).toEqual([])
})

test('refs without end are cut off', async () => {
  home.git.answer('/refs-without-end.git/info/refs', (_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' })
    response.write(Buffer.concat([packet('# service=git-upload-pack\n'), Buffer.from('0000')]))
    const timer = setInterval(() => {
      for (let n = 0; n < 200; n += 1)
        response.write(packet(`${someCommit} refs/heads/b${n}-${performance.now()}\n`))
    }, 20)
    response.once('close', () => clearInterval(timer))
  })
  const id = await attached(work, `${home.git.url}/refs-without-end.git`, { branch: 'main' })
  expect(await indexNow(work, id)).toMatchObject({ state: 'failed', fault: { code: 'too_slow' } })
})

const bombMb = scaled(5000, 20)
test(`a blob of ${bombMb} MB that compresses to nearly nothing is fetched, and read by nobody`, async () => {
  const repository = newRepository(home, 'bomb.git')
  const zeros = `head -c ${bombMb}M /dev/zero | git hash-object -w --stdin`
  const blobOf = (from: string) =>
    execFileSync('/bin/sh', ['-c', from], { cwd: repository.work, encoding: 'utf8' }).trim()
  repository.commit(smallSources)
  repository.git('update-index', '--add', '--cacheinfo', `100644,${blobOf(zeros)},src/bomb.ts`)
  repository.git('commit', '-q', '-m', 'Bomb')
  repository.push()
  const id = await attached(work, `${home.git.url}/bomb.git`)
  const { state, skipped, fault } = await indexNow(work, id)
  // The larger one may also need more time than a fetch has.
  if (state === 'failed') expect(['too_slow', 'too_large']).toContain(fault?.code)
  else expect(skipped).toEqual([{ path: 'src/bomb.ts', reason: 'larger than 1 MB' }])
}, 600_000)
