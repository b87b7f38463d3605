import { untilFrozen } from '@crewhall/testkit/frozen.ts'
import { isFull, scaled } from '@crewhall/testkit/rounds.ts'
import { noOtherJobs, quickToGiveUp } from '@crewhall/testkit/take-over.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { WorkerCrew } from '@crewhall/testkit/worker-crew.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentFile, agentFilesDir, stateOf } from '../../memory/export-world.ts'
import { MemoryWorkspace } from '../../memory/memory-world.ts'

const dir = agentFilesDir()
const server = useServer('product', { AGENT_FILES_DIR: dir })
const rounds = scaled(20, 1)
const size = isFull ? 4 : 3
const steps = ['memory.written', 'memory.renamed']
const timeout = 90_000 * rounds

let crew: WorkerCrew
beforeAll(async () => {
  // An export that became due while the database was a template would be the one of the first round.
  await noOtherJobs(server.database.name)
  crew = await WorkerCrew.open({
    database: server.database.name,
    size,
    start: (env) => server.start('worker', { ...quickToGiveUp, ...env }),
  })
})
afterAll(() => crew.close())

/** A workspace whose file has lines of somebody else, and a memory that is not in it yet. */
async function open() {
  const work = await MemoryWorkspace.open(server)
  const file = new AgentFile(dir, work)
  await work.add({ title: 'First', body: 'B', confidence: 0.9 })
  file.write('own line\n')
  return { work, file }
}

/** One worker that is awake alone comes to the export of this workspace first. */
async function doom(fault: string) {
  const doomed = await crew.doom(fault)
  await noOtherJobs(server.database.name)
  return doomed
}
/** Of the others one, two or three take over. */
const othersIn = (round: number) => 1 + (round % (size - 1))
const exportNow = () => server.sql(`update jobs.schedules set next_at = now() where name = 'memory.export'`)
const isDone = async ({ brand_id }: MemoryWorkspace) =>
  (
    await server.sql(
      `select from pgboss.job where name = 'memory.export-workspace' and state = 'completed'
         and data -> 'payload' ->> 'brand_id' = $1`,
      [String(brand_id)],
    )
  ).length > 0

/** As if nothing had happened. */
async function expectWhole(work: MemoryWorkspace, file: AgentFile): Promise<void> {
  expect(file.items).toEqual(['fact: **First** B'])
  expect(file.text.startsWith('own line\n\n<!-- crewhall:memory begin ')).toBe(true)
  expect(file.leftovers).toEqual([])
  expect(await stateOf(work)).toMatchObject({ state: 'written', memories: 1, is_due: false })
}

test.each(steps)(
  `SYS-17: of ${size} workers one is killed at %s, ${rounds} times: the file is as if nothing had happened`,
  { timeout },
  async (step) => {
    for (let round = 1; round <= rounds; round += 1) {
      const { work, file } = await open()
      const doomed = await doom(`${step}:kill@1`)
      await exportNow()
      await doomed.ended
      expect(file.leftovers).toHaveLength(1)
      expect(file.text).toContain('own line\n')
      await crew.takeOver(doomed, othersIn(round))
      await waitFor(() => isDone(work), 60_000)
      await expectWhole(work, file)
    }
  },
)

test.each(steps)(
  `a worker that is frozen at %s, ${rounds} times, and goes on when another one has done it, changes nothing`,
  { timeout },
  async (step) => {
    for (let round = 1; round <= rounds; round += 1) {
      const { work, file } = await open()
      const frozen = await doom(`${step}:stop@1`)
      await exportNow()
      await untilFrozen(frozen)
      await crew.takeOver(frozen, othersIn(round))
      await waitFor(() => isDone(work), 60_000)
      await expectWhole(work, file)
      // What is deleted while it sleeps must not come back with it.
      await work.add({ title: 'Second', body: 'B', confidence: 0.5 })
      const first = (await work.search()).body.memories.find(({ title }) => title === 'First')
      await work.call('DELETE', `/memories/${first?.id}`)
      await exportNow()
      await waitFor(() => file.items[0] === 'fact: **Second** B', 60_000)
      frozen.child.kill('SIGCONT')
      await frozen.stop()
      expect(file.items).toEqual(['fact: **Second** B'])
      expect(file.text).toContain('own line\n')
      expect(file.leftovers).toEqual([])
    }
  },
)
