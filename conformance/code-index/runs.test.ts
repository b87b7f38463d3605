import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { indexStages } from '@crewhall/contracts/code-index/index-state.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  attached,
  type IndexHome,
  indexNow,
  indexOf,
  newRepository,
  openIndexHome,
  runEnded,
  smallSources,
} from './index-world.ts'
import { ProjectWorkspace } from './project-world.ts'

const server = useServer('product')
let home: IndexHome
let work: ProjectWorkspace

beforeAll(async () => {
  home = await openIndexHome()
  const api = await server.start('api', home.env)
  await server.start('worker', home.env)
  work = await ProjectWorkspace.open({
    sql: server.sql,
    get: (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init),
  })
})
afterAll(() => home.close())

const nodesOf = (project_id: string) =>
  work.world.sql<{ id: string; path: string; symbol: string; is_live: boolean }>(
    'select id, path, symbol, is_live from code_index.nodes where project_id = $1 order by path, symbol',
    [project_id],
  )

test('IDX-G5 IDX-08: a repository is fetched and indexed in the background, and its state is told', async () => {
  const repository = newRepository(home)
  const commit = repository.commit(smallSources)
  repository.push()
  const id = await attached(work, `${home.git.url}/engine.git`)
  expect(await indexOf(work, id)).toMatchObject({ state: 'none', commit: null })
  expect(await indexNow(work, id)).toMatchObject({
    state: 'ready',
    stage: null,
    files_total: 3,
    files_done: 3,
    skipped: [],
    commit,
    fault: null,
  })
  const places = (await nodesOf(id)).map(({ path, symbol }) => (symbol ? `${path}#${symbol}` : path))
  expect(places).toEqual(expect.arrayContaining(['', 'src', 'src/main.ts#main', 'src/store.ts#Store.find']))
  const events = await work.world.sql<{ type: string; stage: string; files: number }>(
    `select type, data->>'stage' as stage, (data->>'files_total')::int as files
     from platform.workspace_events where brand_id = $1 and type like 'index.%' order by id`,
    [work.brand_id],
  )
  // One for each stage, whatever the number of files.
  expect(events.map(({ type, stage }) => stage ?? type)).toEqual([...indexStages, 'index.finished'])
  expect(events.find(({ stage }) => stage === 'publish')?.files).toBe(3)
  // Bare, whole, and without what a work tree would bring.
  const [clone = ''] = readdirSync(join(home.dir, String(work.brand_id)))
  const dir = join(home.dir, String(work.brand_id), clone)
  expect(clone).toMatch(new RegExp(`^${id}\\.\\d+$`))
  expect(existsSync(join(dir, 'HEAD'))).toBe(true)
  expect(existsSync(join(dir, '.git'))).toBe(false)
})

test('LES-06 IDX-09: ids stay the same when a file is moved and edited, and a deleted file comes back with its id', async () => {
  const repository = newRepository(home, 'moves.git')
  repository.commit(smallSources)
  repository.push()
  const id = await attached(work, `${home.git.url}/moves.git`)
  await indexNow(work, id)
  const before = new Map((await nodesOf(id)).map((node) => [`${node.path}#${node.symbol}`, node.id]))
  repository.move('src/store.ts', 'lib/store.ts')
  repository.commit({ 'src/main.ts': smallSources['src/main.ts'].replace('./store.ts', '../lib/store.ts') })
  repository.push()
  await indexNow(work, id)
  const after = new Map((await nodesOf(id)).map((node) => [`${node.path}#${node.symbol}`, node.id]))
  for (const symbol of ['', 'Store', 'Store.find'])
    expect(after.get(`lib/store.ts#${symbol}`)).toBe(before.get(`src/store.ts#${symbol}`))
  repository.commit({ 'lib/store.ts': null })
  repository.push()
  await indexNow(work, id)
  expect((await nodesOf(id)).find(({ path }) => path === 'lib/store.ts')?.is_live).toBe(false)
  repository.git('revert', '--no-edit', 'HEAD')
  repository.push()
  await indexNow(work, id)
  const revived = (await nodesOf(id)).find(({ path, symbol }) => path === 'lib/store.ts' && symbol === '')
  expect([revived?.is_live, revived?.id]).toEqual([true, before.get('src/store.ts#')])
})

test('a run without anything new ends as ready, with the counts of the one before', async () => {
  const repository = newRepository(home, 'still.git')
  repository.commit(smallSources)
  repository.push()
  const id = await attached(work, `${home.git.url}/still.git`)
  const first = await indexNow(work, id)
  const second = await indexNow(work, id)
  expect(second).toMatchObject({ state: 'ready', commit: first.commit, files_total: 3 })
  const [{ version } = { version: 0 }] = await work.world.sql<{ version: number }>(
    'select version from code_index.indexes where project_id = $1',
    [id],
  )
  expect(version).toBe(1)
})

test('IDX-G6: a forced push to another history is indexed, and a path that stays keeps its id', async () => {
  const repository = newRepository(home, 'forced.git')
  repository.commit(smallSources)
  repository.push()
  const id = await attached(work, `${home.git.url}/forced.git`)
  await indexNow(work, id)
  const before = (await nodesOf(id)).find(({ path }) => path === 'src/main.ts')?.id
  repository.git('checkout', '-q', '--orphan', 'other')
  const commit = repository.commit({ 'src/extra.ts': 'export const extra = 1\n' })
  repository.git('push', '-q', '--force', 'origin', 'other:main')
  expect(await indexNow(work, id)).toMatchObject({ state: 'ready', commit })
  expect((await nodesOf(id)).find(({ path }) => path === 'src/main.ts')?.id).toBe(before)
})

test('credentials are sent to the host and nowhere else, and a wrong one is told as such', async () => {
  const { startGitServer } = await import('@crewhall/testkit/git/git-server.ts')
  const guarded = await startGitServer({ root: home.root, credentials: 'ann:hunter2' })
  const repository = newRepository(home, 'private.git')
  repository.commit(smallSources)
  repository.push()
  const url = `${guarded.url}/private.git`
  const right = await attached(work, url, { username: 'ann', password: 'hunter2' })
  expect(await indexNow(work, right)).toMatchObject({ state: 'ready' })
  const wrong = await attached(work, url, { username: 'ann', password: 'hunter3' })
  expect(await indexNow(work, wrong)).toMatchObject({ state: 'failed', fault: { code: 'unauthorized' } })
  guarded.answer('/elsewhere.git', (_, response) => {
    response.writeHead(302, { location: `${home.git.url}/private.git/info/refs?service=git-upload-pack` })
    response.end()
  })
  const asked = home.git.requests.length
  const redirected = await attached(work, `${guarded.url}/elsewhere.git`, {
    username: 'ann',
    password: 'hunter2',
  })
  expect(await indexNow(work, redirected)).toMatchObject({ state: 'failed' })
  expect(home.git.requests.length).toBe(asked)
  guarded.close()
})

test.each([
  ['missing.git', {}, 'not_found'],
  ['engine.git', { branch: 'no-such-branch' }, 'branch_missing'],
])(
  '%s %j fails as %s',
  async (name, more, code) => {
    const id = await attached(work, `${home.git.url}/${name}`, more)
    expect(await indexNow(work, id)).toMatchObject({ state: 'failed', fault: { code }, commit: null })
  },
  120_000,
)

test('asked for many times at once, a project has one run after the other', async () => {
  const repository = newRepository(home, 'busy.git')
  repository.commit(smallSources)
  repository.push()
  const id = await attached(work, `${home.git.url}/busy.git`)
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => work.call('POST', `/${id}/index`, undefined, work.reader)),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
  await runEnded(work, id)
  const runs = await waitFor(async () => {
    const rows = await work.world.sql<{ state: string; started_at: string; ended_at: string }>(
      'select state, started_at, ended_at from code_index.runs where project_id = $1 order by id',
      [id],
    )
    return rows.every(({ state }) => state === 'done') && rows
  }, 60_000)
  expect(runs.length).toBeLessThanOrEqual(2)
})

test('a repository that is detached is not indexed any more', async () => {
  const id = await attached(work, `${home.git.url}/engine.git`)
  await indexNow(work, id)
  const dir = join(home.dir, String(work.brand_id))
  const clones = () => readdirSync(dir).filter((name) => name.startsWith(id))
  expect(clones()).toHaveLength(1)
  await work.call('DELETE', `/${id}/repository`)
  expect(await work.call('POST', `/${id}/index`)).toEqual({
    status: 409,
    body: { detail: 'The project has no repository' },
  })
})
