import { randomUUID } from 'node:crypto'
import { memoryKinds } from '@crewhall/contracts/memory/fields.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AutomationBed } from '../../../../test/memory-automation.ts'
import { listNearest, listNearestOfAll } from './search.store.ts'

let bed: AutomationBed
beforeAll(async () => {
  bed = await AutomationBed.open({ EMBEDDINGS: 'off' })
})
afterAll(() => bed.close())

interface Placed {
  readonly agent: string
  readonly vector: string
  readonly kind?: string
  readonly status?: string
  readonly is_locked?: boolean
}
async function place({ agent, vector, kind = 'learning', status = 'active', is_locked = false }: Placed) {
  const [id, brand_id] = [randomUUID(), bed.automation.brandId]
  await bed.admin.query(
    `insert into memory.memories (brand_id, id, agent_id, kind, title, body, status, is_locked, text_hash, created_by, updated_by)
     values ($1, $2, $3, $4, 'T', 'B', $5, $6, '', '{}', '{}')`,
    [brand_id, id, agent, kind, status, is_locked],
  )
  await bed.admin.query(
    `insert into memory.embeddings (brand_id, memory_id, agent_id, model, dimension, text_hash, vector)
     values ($1, $2, $3, 'm', 2, '', $4)`,
    [brand_id, id, agent, vector],
  )
  return id
}
const merge = (agent: string, source_id: string, pattern_id: string, isUndone = false) =>
  bed.admin.query(
    `insert into memory.merges (brand_id, source_id, pattern_id, agent_id, tag, undone_at)
     values ($1, $2, $3, $4, 't', case when $5 then now() end)`,
    [bed.automation.brandId, source_id, pattern_id, agent, isUndone],
  )
/** Which of them, by both statements. */
async function nearest(agent: string, ...ids: string[]): Promise<number[]> {
  const wanted = { agent_id: agent, kinds: memoryKinds, model: 'm', dimension: 2, vector: '[1,0]' }
  const found = (await listNearest(bed.automation, wanted)).map(({ id }) => ids.indexOf(id))
  expect((await listNearestOfAll(bed.automation, wanted)).map(({ id }) => ids.indexOf(id))).toEqual(found)
  return found
}

test('C21: a merged learning speaks for its pattern, which is listed once', async () => {
  const agent = await bed.newAgent()
  const pattern = await place({ agent, kind: 'pattern', vector: '[0,1]' })
  const other = await place({ agent, vector: '[0.8,0.6]' })
  expect(await nearest(agent, other, pattern)).toEqual([0, 1])
  for (const vector of ['[1,0]', '[0.9,0.1]'])
    await merge(agent, await place({ agent, status: 'merged', vector }), pattern)
  expect(await nearest(agent, other, pattern)).toEqual([1, 0])
})

test.each([
  ['a person has edited the pattern', { is_locked: true }, {}, false],
  ['the pattern is archived', { status: 'archived' }, {}, false],
  ['it is active again, and itself', {}, { status: 'active' }, false],
  ['it was un-merged and archived', {}, { status: 'archived' }, true],
] as const)('it does not when %s', async (_, ofPattern, ofSource, isUndone) => {
  const agent = await bed.newAgent()
  const pattern = await place({ agent, kind: 'pattern', vector: '[0,1]', ...ofPattern })
  const other = await place({ agent, vector: '[0.8,0.6]' })
  const source = await place({ agent, status: 'merged', vector: '[1,0]', ...ofSource })
  await merge(agent, source, pattern, isUndone)
  const found = await nearest(agent, other, pattern, source)
  expect(found.indexOf(1)).not.toBe(0)
  expect(found.filter((at) => at !== 1)).toEqual(
    'status' in ofSource && ofSource.status === 'active' ? [2, 0] : [0],
  )
})
