import { untilFrozen } from '@crewhall/testkit/frozen.ts'
import type { TestRepository } from '@crewhall/testkit/git/test-repository.ts'
import { isFull, scaled } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { quickToGiveUp } from '@crewhall/testkit/take-over.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { WorkerCrew } from '@crewhall/testkit/worker-crew.ts'
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
import { storedEdges, storedNodes } from './stored-graph.ts'

const server = useServer('product')
let home: IndexHome
let work: ProjectWorkspace
let crew: WorkerCrew

beforeAll(async () => {
  home = await openIndexHome()
  const api = await server.start('api', home.env)
  work = await ProjectWorkspace.open({
    sql: server.sql,
    get: (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init),
  })
  crew = await WorkerCrew.open({
    database: server.database.name,
    size: 2,
    start: (env) => server.start('worker', { ...home.env, ...quickToGiveUp, ...env }),
  })
})
afterAll(async () => {
  await crew.close()
  home.close()
})

const points = [
  ...['claimed', 'asked', 'fetched', 'indexed', 'compared'],
  ...['opened', 'staging', 'staged', 'applied', 'remembered', 'followed', 'published', 'clearing'],
]
const shown = ['published', 'clearing']
const rounds = scaled(20, 1)
// In the gate the two that hurt most: between the copy and the index, and inside the step that shows it.
const killed = isFull ? points : ['fetched', 'applied']
const frozen = isFull ? points : ['compared']

/** More rows than are cleared at once, so that there is a second time. */
const many = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [
    `many/a${n}.ts`,
    Array.from({ length: 300 }, (_, k) => `export const value${n}x${k} = ${k}\n`).join(''),
  ]),
)

interface Place {
  readonly repository: TestRepository
  readonly project_id: string
  /** Moves what the index has to follow, and back again. */
  change(round: number): string
}

async function newPlace(name: string, isLarge: boolean): Promise<Place> {
  const repository = newRepository(home, `${name}.git`)
  repository.commit(isLarge ? { ...smallSources, ...many } : smallSources)
  repository.push()
  const project_id = await attached(work, `${home.git.url}/${name}.git`)
  await indexNow(work, project_id)
  let at = 'store'
  return {
    repository,
    project_id,
    change(round) {
      const next = at === 'store' ? 'kept' : 'store'
      repository.move(`src/${at}.ts`, `src/${next}.ts`)
      if (isLarge) repository.move(round % 2 === 0 ? 'many' : 'much', round % 2 === 0 ? 'much' : 'many')
      at = next
      const commit = repository.commit({
        'src/main.ts': `// ${round}\n${smallSources['src/main.ts'].replace('store', next)}`,
        'src/more.ts': `export const more${round} = 1\n`,
      })
      repository.push()
      return commit
    },
  }
}

const liveOf = async (project_id: string) =>
  (await storedNodes(server.sql, project_id)).filter(({ is_live }) => is_live)
const placesOf = (nodes: Awaited<ReturnType<typeof liveOf>>) =>
  nodes.map(({ id: _, removed_in: __, ...node }) => node)

const runsOf = (project_id: string) =>
  server.sql<{ state: string; epoch: number }>(
    'select state, epoch from code_index.runs where project_id = $1 order by id',
    [project_id],
  )
/** Also the run that was asked for while another one was open. */
const settled = (project_id: string) =>
  waitFor(async () => (await runsOf(project_id)).every(({ state }) => state === 'done'), 120_000)

/** As if the time of the lost one was over, and somebody asks again: the others begin anew what it has left. */
async function takeOver(lost: ServerProcess, project_id: string): Promise<void> {
  await server.sql(
    `update code_index.runs set lease_until = platform.clock_now() where project_id = $1 and state = 'running'`,
    [project_id],
  )
  await crew.takeOver(lost)
  await work.call('POST', `/${project_id}/index`, undefined, work.reader)
}

/** The same commit, indexed by a project that has never seen another one. */
async function expectEqualToFull({ project_id, repository }: Place): Promise<void> {
  const other = await attached(work, `${home.git.url}/${repository.name}`)
  await indexNow(work, other)
  expect(placesOf(await liveOf(project_id))).toEqual(placesOf(await liveOf(other)))
  expect(await storedEdges(server.sql, project_id)).toEqual(await storedEdges(server.sql, other))
}

const idOf = (nodes: Awaited<ReturnType<typeof liveOf>>, of: string) =>
  nodes.find(({ path, symbol }) => /^src\/(?:store|kept)\.ts$/.test(path) && symbol === of)?.id

test.each(killed)(
  'IDX-G4: a worker that is killed at %s leaves the index before, and the next one ends equal',
  async (point) => {
    const place = await newPlace(`kill-${point}`, point === 'clearing')
    const { project_id } = place
    for (let round = 0; round < rounds; round += 1) {
      const [before, { commit }] = [await liveOf(project_id), await indexOf(work, project_id)]
      const next = place.change(round)
      const doomed = await crew.doom(`code-index.${point}:kill@1`)
      await work.call('POST', `/${project_id}/index`, undefined, work.reader)
      await doomed.ended
      const isShown = shown.includes(point)
      expect((await indexOf(work, project_id)).commit).toBe(isShown ? next : commit)
      if (!isShown) expect(await liveOf(project_id)).toEqual(before)
      // Once the lease and the job find their own way; the other rounds need not wait for that.
      if (round === 0 && point === 'fetched') crew.wake(doomed)
      else await takeOver(doomed, project_id)
      await settled(project_id)
      expect(await runEnded(work, project_id)).toMatchObject({ state: 'ready', commit: next })
      const after = await liveOf(project_id)
      for (const symbol of ['', 'Store', 'Store.find']) expect(idOf(after, symbol)).toBe(idOf(before, symbol))
      if (round === rounds - 1) await expectEqualToFull(place)
    }
  },
  3_600_000,
)

test.each(frozen)(
  'a worker that sleeps at %s beyond its lease changes nothing when it wakes up',
  async (point) => {
    const place = await newPlace(`stop-${point}`, point === 'clearing')
    const { project_id } = place
    for (let round = 0; round < rounds; round += 1) {
      const next = place.change(round)
      const sleeper = await crew.doom(`code-index.${point}:stop@1`)
      await work.call('POST', `/${project_id}/index`, undefined, work.reader)
      await untilFrozen(sleeper)
      await takeOver(sleeper, project_id)
      await settled(project_id)
      expect(await runEnded(work, project_id)).toMatchObject({ state: 'ready', commit: next })
      const [nodes, edges, runs] = [
        await storedNodes(server.sql, project_id),
        await storedEdges(server.sql, project_id),
        await runsOf(project_id),
      ]
      const { commit } = await indexOf(work, project_id)
      sleeper.child.kill('SIGCONT')
      await sleeper.stop()
      expect(await storedNodes(server.sql, project_id)).toEqual(nodes)
      expect(await storedEdges(server.sql, project_id)).toEqual(edges)
      expect(await runsOf(project_id)).toEqual(runs)
      expect((await indexOf(work, project_id)).commit).toBe(commit)
      if (round === rounds - 1) await expectEqualToFull(place)
    }
  },
  3_600_000,
)
