import { shinglesOf } from '@crewhall/contracts/memory/own-texts.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMemory } from '#modules/memory'
import { AutomationBed, draft } from '../../../../test/memory-automation.ts'
import { createFindOwnTexts } from './own-texts.service.ts'

let bed: AutomationBed
beforeAll(async () => {
  bed = await AutomationBed.open({ EMBEDDINGS: 'off' })
})
afterAll(() => bed.close())

const remember = (agent: string, body: string) =>
  bed.write((tx) => addMemory(tx, agent, draft(body), bed.origin()))

function counted(most?: number) {
  const made: string[][] = []
  const find = createFindOwnTexts(async (texts) => {
    made.push([...texts])
    return new Set(texts.flatMap((text) => [...shinglesOf(text)]))
  }, most)
  return { made, find: (agent: string) => find(bed.automation, agent) }
}

test('fingerprints are made once, until a memory is new, changed or gone', async () => {
  const [agent, { made, find }] = [await bed.newAgent(), counted()]
  expect((await find(agent)).memory_ids.size).toBe(0)
  await remember(agent, 'The logo of the shop is blue')
  const first = await find(agent)
  expect(await find(agent)).toBe(first)
  await bed.admin.query(
    `update memory.memories set body = 'The logo of the shop is red' where agent_id = $1`,
    [agent],
  )
  expect((await find(agent)).shingles).not.toEqual(first.shingles)
  await bed.admin.query(`update memory.memories set status = 'archived' where agent_id = $1`, [agent])
  expect((await find(agent)).shingles.size).toBe(0)
  expect(made).toHaveLength(4)
})

test('those of another agent are its own, and of too many the oldest go', async () => {
  const [one, other] = [await bed.newAgent(), await bed.newAgent()]
  await remember(one, 'Deploys go out on Tuesdays')
  await remember(other, 'Nobody deploys on a Friday')
  const roomy = counted()
  expect((await roomy.find(one)).shingles).not.toEqual((await roomy.find(other)).shingles)
  for (const agent of [one, other]) await roomy.find(agent)
  expect(roomy.made).toHaveLength(2)
  const narrow = counted((await roomy.find(one)).shingles.size)
  for (const agent of [one, other, other, one]) await narrow.find(agent)
  expect(narrow.made).toHaveLength(3)
})
