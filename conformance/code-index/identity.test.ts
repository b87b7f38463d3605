import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { typeScript } from '../../apps/server/test/edit-languages.ts'
import { IdentityModel } from '../../apps/server/test/identity-model.ts'
import { RandomEdits, seeded } from '../../apps/server/test/random-edits.ts'
import { ToyRepository } from '../../apps/server/test/toy-repository.ts'
import { attached, type IndexHome, indexNow, openIndexHome } from './index-world.ts'
import { ProjectWorkspace } from './project-world.ts'
import { type StoredNode, storedEdges, storedNodes } from './stored-graph.ts'

const server = useServer('product')
let home: IndexHome
let work: ProjectWorkspace
/** Indexes everything anew each time: projects of its own, and no facts from before. */
let full: ProjectWorkspace

beforeAll(async () => {
  home = await openIndexHome()
  const api = await server.start('api', home.env)
  await server.start('worker', home.env)
  const world = {
    sql: server.sql,
    get: (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init),
  }
  work = await ProjectWorkspace.open(world)
  full = await ProjectWorkspace.open(world)
})
afterAll(() => home.close())

interface Served {
  readonly repository: ToyRepository
  readonly url: string
  push(): void
}

function served(name: string): Served {
  const repository = new ToyRepository()
  onTestFinished(() => repository.close())
  const bare = join(home.root, name)
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', bare])
  return {
    repository,
    url: `${home.git.url}/${name}`,
    push: () => void repository.git('push', '-q', '--force', bare, 'HEAD:refs/heads/main'),
  }
}

async function indexedAt(project_id: string, { repository, push }: Served): Promise<string> {
  push()
  const commit = repository.head()
  expect(await indexNow(work, project_id)).toMatchObject({ state: 'ready', commit })
  return commit
}

/** Node for node and edge for edge, with degrees and parents. */
async function expectEqualToFull(project_id: string, url: string): Promise<void> {
  await server.sql('delete from code_index.blob_facts where brand_id = $1', [full.brand_id])
  const other = await attached(full, url)
  await indexNow(full, other)
  expect(await storedEdges(server.sql, project_id)).toEqual(await storedEdges(server.sql, other))
  const places = async (id: string) =>
    (await storedNodes(server.sql, id))
      .filter(({ is_live }) => is_live)
      .map(({ id: _, removed_in: __, ...node }) => node)
  expect(await places(project_id)).toEqual(await places(other))
}

/** What the model is told of a commit: read from git and by the plainest pattern, not by what it judges. */
function nodesAt(repository: ToyRepository, commit: string) {
  const paths = repository.paths(commit)
  const folders = new Set(['', ...paths.flatMap((path) => foldersOf(path))])
  return [
    ...[...folders].map((path) => ({ kind: 'folder' as const, path, symbol: '', body_hash: null })),
    ...paths.flatMap((path) => [
      { kind: 'file' as const, path, symbol: '', body_hash: null },
      ...typeScript
        .symbols(repository.textAt(commit, path))
        .map(({ name, body_hash }) => ({ kind: 'symbol' as const, path, symbol: name, body_hash })),
    ]),
  ]
}

const foldersOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, at, parts) => parts.slice(0, at + 1).join('/'))

const placeOf = ({ kind, path, symbol }: Pick<StoredNode, 'kind' | 'path' | 'symbol'>) =>
  `${kind} ${path} ${symbol}`

const commits = scaled(300, 15)
const seeds = [14, 2_026, 777_001].slice(0, scaled(3, 1))

test.each(seeds)(
  `IDX-09, LES-06: over ${commits} random commits ids and removing commits are those of git's renames, and each index equals a full one (seed %i)`,
  async (seed) => {
    const place = served(`random-${seed}.git`)
    const { repository } = place
    const random = seeded(seed)
    const edits = new RandomEdits(repository, random, typeScript)
    const model = new IdentityModel(repository, typeScript)
    edits.start(12)
    place.push()
    const project = await attached(work, place.url)
    const uuids = new Map<number, string>()
    for (let done = 0; done <= commits; ) {
      const commit = await indexedAt(project, place)
      model.index(commit, nodesAt(repository, commit))
      const rows = await storedNodes(server.sql, project)
      const live = new Map(rows.filter(({ is_live }) => is_live).map((row) => [placeOf(row), row.id]))
      for (const [at, { id }] of model.live) {
        const uuid = live.get(at)
        if (!uuids.has(id) && uuid !== undefined) uuids.set(id, uuid)
      }
      expect([...live].sort()).toEqual([...model.live].map(([at, { id }]) => [at, uuids.get(id)]).sort())
      const dead = rows.filter(({ is_live }) => !is_live).map(({ id, removed_in }) => [id, removed_in])
      expect(dead.sort()).toEqual(model.gone.map(({ id, removed_in }) => [uuids.get(id), removed_in]).sort())
      await expectEqualToFull(project, place.url)
      for (let n = 1 + random(5); n > 0; n -= 1) {
        edits.step()
        done += 1
      }
    }
    expect(new Set(uuids.values()).size).toBe(uuids.size)
  },
  3_600_000,
)

test('IDX-09: a renamed file, a moved folder with 100 files and a rename among 1,100 changed files keep all ids', async () => {
  const place = served('moves.git')
  const { repository } = place
  const text = (n: number, more = '') =>
    `// file ${n}\n${typeScript.define(`first${n}`, `words of ${n}`)}${typeScript.define(`second${n}`, `more words of ${n}`)}${more}`
  for (let n = 0; n < 100; n += 1) repository.write(`src/old/f${n}.ts`, text(n))
  for (let n = 100; n < 1200; n += 1) repository.write(`lib/f${n}.ts`, text(n))
  repository.commit()
  place.push()
  const project = await attached(work, place.url)
  await indexedAt(project, place)
  const before = await storedNodes(server.sql, project)
  const expectMoved = async (moved: (path: string) => string) => {
    await indexedAt(project, place)
    const now = new Map((await storedNodes(server.sql, project)).map((node) => [node.id, node]))
    const wrong = before.filter(({ id, path, symbol }) => {
      const node = now.get(id)
      return !node?.is_live || node.path !== moved(path) || node.symbol !== symbol
    })
    expect(wrong).toEqual([])
    expect(now.size).toBe(before.length)
  }
  repository.git('mv', 'lib/f100.ts', 'lib/renamed.ts')
  repository.commit()
  const one = (path: string) => path.replace('lib/f100.ts', 'lib/renamed.ts')
  await expectMoved(one)
  repository.git('mv', 'src/old', 'src/new')
  repository.commit()
  const folder = (path: string) => one(path).replace('src/old', 'src/new')
  await expectMoved(folder)
  // Each is renamed and edited at once, so git has to compare all with all.
  for (let n = 101; n < 1200; n += 1) {
    rmSync(join(repository.dir, `lib/f${n}.ts`))
    repository.write(`lib/g${n}.ts`, text(n, `// edited ${n}\n`))
  }
  repository.commit()
  await expectMoved((path) => folder(path).replace(/^lib\/f(?=\d+\.ts$)/, 'lib/g'))
})
