import { untilFrozen } from '@crewhall/testkit/frozen.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { noOtherJobs, quickToGiveUp, takeOverNow } from '@crewhall/testkit/take-over.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expect, test } from 'vitest'
import { AgentFile, agentFilesDir, stateOf } from '../../memory/export-world.ts'
import { MemoryWorkspace } from '../../memory/memory-world.ts'

const dir = agentFilesDir()
const server = useServer('product', { AGENT_FILES_DIR: dir, JOBS_SUPERVISE_SECONDS: '1' })
const rounds = scaled(20, 1)
const steps = ['memory.written', 'memory.renamed']
const timeout = 120_000 * (rounds + 1)

/** A workspace whose file has a section and lines of somebody else, and a memory that is not in it yet. */
async function open() {
  const work = await MemoryWorkspace.open(server)
  const file = new AgentFile(dir, work)
  await work.add({ title: 'First', body: 'B', confidence: 0.9 })
  file.write('own line\n')
  return { work, file }
}

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
  `SYS-17: of two workers one is killed at %s, ${rounds} times: the file is as if nothing had happened`,
  {
    timeout,
  },
  async (step) => {
    for (let round = 0; round < rounds; round += 1) {
      const { work, file } = await open()
      await noOtherJobs(server.database.name)
      const doomed = await server.start('worker', { TEST_FAULT_POINTS: `${step}:kill@1` })
      await exportNow()
      await doomed.ended
      expect(file.leftovers).toHaveLength(1)
      expect(file.text).toContain('own line\n')
      await takeOverNow(server.database.name)
      const others = await Promise.all([0, 1].map(() => server.start('worker')))
      await waitFor(() => isDone(work), 60_000)
      await Promise.all(others.map((other) => other.stop()))
      await expectWhole(work, file)
    }
  },
)

test.each(steps)(
  `a worker that is frozen at %s, ${rounds} times, and goes on when another one has done it, changes nothing`,
  {
    timeout,
  },
  async (step) => {
    for (let round = 0; round < rounds; round += 1) {
      const { work, file } = await open()
      await noOtherJobs(server.database.name)
      const frozen = await server.start('worker', { ...quickToGiveUp, TEST_FAULT_POINTS: `${step}:stop@1` })
      await exportNow()
      await untilFrozen(frozen)
      await takeOverNow(server.database.name)
      const other = await server.start('worker')
      await waitFor(() => isDone(work), 60_000)
      // What is deleted while it sleeps must not come back with it.
      await work.add({ title: 'Second', body: 'B', confidence: 0.5 })
      const [first] = (await work.search()).body.memories
      await work.call('DELETE', `/memories/${first?.id}`)
      await exportNow()
      await waitFor(() => file.items[0] === 'fact: **Second** B', 60_000)
      process.kill(frozen.pid, 'SIGCONT')
      await frozen.stop()
      await other.stop()
      expect(file.items).toEqual(['fact: **Second** B'])
      expect(file.text).toContain('own line\n')
      expect(file.leftovers).toEqual([])
    }
  },
)
