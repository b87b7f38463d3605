import { marksIn, queueText, redisText } from '@crewhall/testkit/canary.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { attached, type IndexHome, indexNow, newRepository, openIndexHome } from './index-world.ts'
import { ProjectWorkspace } from './project-world.ts'

const server = useServer('product')
let home: IndexHome
let api: ServerProcess
let worker: ServerProcess

beforeAll(async () => {
  home = await openIndexHome()
  const env = { ...home.env, LOG_LEVEL: 'debug' }
  api = await server.start('api', env)
  worker = await server.start('worker', env)
})
afterAll(() => home.close())

interface Marked {
  readonly work: ProjectWorkspace
  readonly project_id: string
  readonly mark: string
}

/** The same in both workspaces, byte for byte. */
const shared =
  'export function sharedByBoth(): string {\n  return "the same words in both of the workspaces"\n}\n'

async function marked(mark: string): Promise<Marked> {
  const work = await ProjectWorkspace.open({
    sql: server.sql,
    get: (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init),
  })
  const repository = newRepository(home, `${mark}.git`)
  repository.commit({
    [`${mark}/${mark}.ts`]: `import { sharedByBoth } from './shared.ts'\nexport function ${mark}fn() { return sharedByBoth() }\n`,
    [`${mark}/shared.ts`]: shared,
    [`${mark}/broken-${mark}.ts`]: `// ${'x'.repeat(1_000_001)}\n`,
    [`${mark}/gone.ts`]: 'export const gone = 1\n',
  })
  repository.push()
  const project_id = await attached(work, `${home.git.url}/${mark}.git`)
  await indexNow(work, project_id)
  repository.commit({ [`${mark}/gone.ts`]: null })
  repository.push()
  await indexNow(work, project_id)
  return { work, project_id, mark }
}

/** All that a workspace can read of its code, and what it may try of another one. */
async function answers({ work, project_id }: Marked, other: Marked): Promise<string> {
  const paths = [
    '',
    ...[project_id, other.project_id].flatMap((id) => [
      `/${id}`,
      `/${id}/index`,
      `/${id}/graph?depth=3`,
      `/${id}/graph?path=${encodeURIComponent(`${other.mark}/shared.ts`)}&depth=2`,
    ]),
  ]
  const all = await Promise.all(paths.map((path) => work.call('GET', path)))
  // A path that was asked for may be told back to whoever asked; nobody else's words may.
  return JSON.stringify(
    all.map(({ body }, at) => (paths[at]?.includes('path=') ? { ...body, path: '' } : body)),
  )
}

test('no path, name or fact of another workspace is anywhere, and the same blob is read by each for itself', async () => {
  const [one, two] = [await marked('quokkamark'), await marked('numbatmark')]
  for (const [mine, other] of [
    [one, two],
    [two, one],
  ] as const) {
    const text = await answers(mine, other)
    expect(marksIn(text, [mine.mark, other.mark])).toEqual([mine.mark])
    const events = await server.sql<{ text: string }>(
      'select e::text as text from platform.workspace_events e where brand_id = $1',
      [mine.work.brand_id],
    )
    expect(events.length).toBeGreaterThan(1)
    expect(marksIn(events.map(({ text }) => text).join('\n'), [other.mark])).toEqual([])
    const tables = await server.sql<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name from pg_class c
       join pg_namespace n on n.oid = c.relnamespace
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'brand_id'
       where n.nspname in ('code_index', 'platform') and c.relkind in ('r', 'p') and not c.relispartition`,
    )
    for (const { name } of tables) {
      const rows = await server.sql<{ text: string }>(
        `select t::text as text from ${name} t where brand_id = $1`,
        [mine.work.brand_id],
      )
      expect([name, marksIn(rows.map(({ text }) => text).join('\n'), [other.mark])]).toEqual([name, []])
    }
  }
  // The same contents have the same key; each workspace has read them itself.
  const facts = await server.sql<{ brands: number; copies: number }>(
    `select count(distinct brand_id)::int as brands, count(distinct facts)::int as copies
     from code_index.blob_facts where facts like '%sharedByBoth%' and facts not like '%markfn%'`,
  )
  expect(facts).toEqual([{ brands: 2, copies: 1 }])
  const marks = [one.mark, two.mark]
  // Names of code are nobody's business in logs, jobs and caches.
  const logs = [...api.lines, ...worker.lines].join('\n').replaceAll(/"url":"[^"]*"/g, '')
  expect(marksIn(logs, marks)).toEqual([])
  expect(marksIn(await redisText(`${server.database.name}:`), marks)).toEqual([])
  expect(marksIn(await queueText(await server.connection('superuser')), marks)).toEqual([])
})

test('a workspace learns nothing from what another one has read before: its run reads every blob', async () => {
  const sources = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [`src/f${n}.ts`, `export function f${n}() { return ${n} }\n`]),
  )
  const repository = newRepository(home, 'popular.git')
  repository.commit(sources)
  repository.push()
  const seen: number[] = []
  for (let n = 0; n < 2; n += 1) {
    const work = await ProjectWorkspace.open({
      sql: server.sql,
      get: (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init),
    })
    const id = await attached(work, `${home.git.url}/popular.git`)
    expect(await indexNow(work, id)).toMatchObject({ state: 'ready', files_total: 30 })
    const [{ count } = { count: 0 }] = await server.sql<{ count: number }>(
      'select count(*)::int as count from code_index.blob_facts where brand_id = $1',
      [work.brand_id],
    )
    seen.push(count)
  }
  expect(seen).toEqual([30, 30])
})
