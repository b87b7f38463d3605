import { scaled } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  attached,
  type IndexHome,
  indexNow,
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
  work = await ProjectWorkspace.open({
    sql: server.sql,
    get: (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init),
  })
}, 120_000)
afterAll(() => home.close())

const points = [
  'claimed',
  'asked',
  'fetched',
  'indexed',
  'compared',
  'staged',
  'applied',
  'followed',
  'published',
]
const tried = scaled(points.length, 2)
// In the gate the two that hurt most: between the copy and the index, and inside the step that shows it.
const chosen = tried === points.length ? points : ['fetched', 'applied']

const liveOf = (project_id: string) =>
  work.world.sql<{ id: string; path: string; symbol: string }>(
    'select id, path, symbol from code_index.nodes where project_id = $1 and is_live order by path, symbol',
    [project_id],
  )

test.each(chosen)(
  'a worker that is killed at %s leaves the index before, and the next one ends equal',
  async (point) => {
    const repository = newRepository(home, `${point}.git`)
    repository.commit(smallSources)
    repository.push()
    const id = await attached(work, `${home.git.url}/${point}.git`)
    const first = await server.start('worker', home.env)
    const { commit } = await indexNow(work, id)
    await first.stop()
    const before = await liveOf(id)
    repository.move('src/store.ts', 'src/kept.ts')
    const next = repository.commit({
      'src/main.ts': smallSources['src/main.ts'].replace('store', 'kept'),
      'src/more.ts': 'export const more = 1\n',
    })
    repository.push()
    const killed = await server.start('worker', {
      ...home.env,
      TEST_FAULT_POINTS: `code-index.${point}:kill@1`,
    })
    await work.call('POST', `/${id}/index`, undefined, work.reader)
    await killed.ended
    const seen = await work.call<{ commit: string }>('GET', `/${id}/index`)
    const isShown = point === 'published'
    expect(seen.body.commit).toBe(isShown ? next : commit)
    if (!isShown) expect(await liveOf(id)).toEqual(before)
    const second = await server.start('worker', home.env)
    expect(await runEnded(work, id)).toMatchObject({ state: 'ready', commit: next })
    await second.stop()
    const after = new Map((await liveOf(id)).map((node) => [`${node.path}#${node.symbol}`, node.id]))
    const kept = before.find(({ path, symbol }) => path === 'src/store.ts' && symbol === 'Store.find')?.id
    expect(after.get('src/kept.ts#Store.find')).toBe(kept)
    expect([...after.keys()]).toContain('src/more.ts#more')
  },
  240_000,
)
