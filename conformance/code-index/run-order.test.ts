import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
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
let other: ProjectWorkspace
let url: string

beforeAll(async () => {
  home = await openIndexHome()
  const api = await server.start('api', home.env)
  const world = {
    sql: server.sql,
    get: (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init),
  }
  work = await ProjectWorkspace.open(world)
  other = await ProjectWorkspace.open(world)
  const repository = newRepository(home)
  repository.commit(smallSources)
  repository.push()
  url = `${home.git.url}/${repository.name}`
})
afterAll(() => home.close())

interface Run {
  readonly project_id: string
  readonly state: string
  readonly epoch: number
  readonly started: number
  readonly ended: number
}
const runsOf = (projects: readonly string[]) =>
  server.sql<Run>(
    `select project_id, state, epoch, extract(epoch from started_at)::float as started,
       extract(epoch from ended_at)::float as ended
     from code_index.runs where project_id = any($1::uuid[]) order by started_at, id`,
    [projects],
  )
const allDone = (projects: readonly string[]) =>
  waitFor(async () => {
    const runs = await runsOf(projects)
    return runs.every(({ state }) => state === 'done') && runs
  }, 120_000)

test('a workspace with many repositories makes no other one wait, and two workers do each run once', async () => {
  const many = await Promise.all(Array.from({ length: 8 }, () => attached(work, url)))
  const one = await attached(other, url)
  for (const id of many) await work.call('POST', `/${id}/index`, undefined, work.reader)
  await other.call('POST', `/${one}/index`, undefined, other.reader)
  const worker = await server.start('worker', home.env)
  await runEnded(other, one)
  const order = (await allDone([...many, one])).map(({ project_id }) => project_id)
  expect(order).toHaveLength(9)
  // Two run at a time, so it may be the third that was started.
  expect(order.indexOf(one)).toBeLessThanOrEqual(2)

  const second = await server.start('worker', home.env)
  const project = await attached(work, url)
  const asked = Array.from({ length: 30 }, () =>
    work.call('POST', `/${project}/index`, undefined, work.reader),
  )
  expect(new Set((await Promise.all(asked)).map(({ status }) => status))).toEqual(new Set([202]))
  const runs = await allDone([project])
  expect(runs.length).toBeLessThanOrEqual(2)
  expect(runs.map(({ epoch }) => epoch)).toEqual(runs.map(() => 1))
  expect(runs[1]?.started ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(runs[0]?.ended ?? 0)
  await Promise.all([worker.stop(), second.stop()])
})

const checkNow = () =>
  server.sql(`update jobs.schedules set next_at = platform.now() where name = 'code-index.check-remotes'`)

test('runs that are lost with their jobs begin again with the next check', async () => {
  const [waiting, running] = [await attached(work, url), await attached(work, url)]
  for (const id of [waiting, running]) await work.call('POST', `/${id}/index`, undefined, work.reader)
  await server.sql(`delete from pgboss.job where name = 'code-index.run' and state < 'active'`)
  const worker = await server.start('worker', home.env)
  // Somebody else is served meanwhile, so that nothing else finds them.
  await indexNow(other, await attached(other, url))
  await server.sql(
    `update code_index.runs set requested_at = requested_at - interval '11 minutes',
       state = case when project_id = $2 then 'running' else state end,
       epoch = case when project_id = $2 then 1 else epoch end,
       lease_until = case when project_id = $2 then platform.clock_now() - interval '1 minute' end
     where project_id in ($1, $2)`,
    [waiting, running],
  )
  expect((await runsOf([waiting, running])).map(({ state }) => state).sort()).toEqual(['running', 'waiting'])
  await checkNow()
  const runs = await allDone([waiting, running])
  expect(runs.map(({ epoch }) => epoch).sort()).toEqual([1, 2])
  const [{ nodes } = { nodes: 0 }] = await server.sql<{ nodes: number }>(
    'select count(*)::int as nodes from code_index.nodes where project_id = $1 and is_live',
    [running],
  )
  expect(nodes).toBeGreaterThan(5)
  await worker.stop()
})
