import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError } from '@crewhall/client/client.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { HireFiles } from './hire-files.ts'
import { HireKeeper } from './hire-keeper.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keeper-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** A keeper whose service says which revision there is, or fails. */
function keeperOf(answer: () => Promise<number>) {
  const lines: string[] = []
  const calls: unknown[] = []
  const files = new HireFiles({
    env_id: randomUUID(),
    state_dir: folder,
    workspaces_dir: join(folder, 'srv'),
  })
  const keeper = new HireKeeper({
    files,
    log: createLog((line) => lines.push(JSON.parse(line).msg)),
    async fetch() {
      calls.push({})
      return {
        hire_id: randomUUID(),
        agent_id: 'builder',
        mcp_url: 'https://crew.example/mcp/agents/builder',
        revision: await answer(),
        token: 'chp_not-a-real-one',
        coder_profile: 'claude.hard',
        workspace_path: '/srv/crewhall/ab12cd34',
        files: [{ name: 'PERSONA.md', content: '# Builder' }],
      }
    },
  })
  const told = (hire: Parameters<typeof keeper.told>[0]) => {
    keeper.told(hire)
    return keeper.settled()
  }
  return { keeper, files, told, lines, calls }
}
const hired = (revision: number) => ({ agent_id: 'builder', revision })

test('it fetches when the revision is another, and once', async () => {
  const { told, files, calls } = keeperOf(async () => 1)
  await told(undefined)
  expect(calls).toHaveLength(0)
  for (let beat = 0; beat < 3; beat += 1) await told(hired(1))
  expect([calls.length, await files.revision()]).toEqual([1, 1])
  await told(hired(2))
  expect(calls).toHaveLength(2)
})

test('a service that does not know hires takes nothing away; one where nobody is at the desk does', async () => {
  const { told, files } = keeperOf(async () => 1)
  await told(hired(1))
  await told(undefined)
  expect(await files.revision()).toBe(1)
  await told(null)
  expect(await files.revision()).toBeUndefined()
})

test('while the employee is built it asks with every beat, and says so once', async () => {
  let isBuilt = false
  const { told, files, lines, calls } = keeperOf(async () => {
    if (!isBuilt) throw new ApiError(404, 'No employee works at this desk', undefined)
    return 1
  })
  for (let beat = 0; beat < 3; beat += 1) await told(hired(1))
  isBuilt = true
  await told(hired(1))
  expect([calls.length, await files.revision()]).toEqual([4, 1])
  expect(lines).toEqual(['the employee of this desk is not there yet', 'an employee works at this desk'])
})

test('a beat during a fetch starts no second one, and leaving waits for it', async () => {
  const answer = Promise.withResolvers<number>()
  const { keeper, files, calls } = keeperOf(() => answer.promise)
  keeper.told(hired(1))
  keeper.told(hired(2))
  const left = keeper.leave()
  answer.resolve(1)
  await left
  expect([calls.length, await files.revision()]).toEqual([1, undefined])
})
