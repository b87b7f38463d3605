import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeEach, expect, test } from 'vitest'
import { ProfileWorkspace } from './profile-workspace.ts'

const server = useSharedServer('product')
let workspace: ProfileWorkspace
beforeEach(async () => {
  workspace = await ProfileWorkspace.open(server)
})

const key = 'claude.hard'

test('PROF-35: without changes the history is an empty array', async () => {
  expect(await workspace.call('GET', `/api/v1/factory/coder-profiles/${key}/history`)).toEqual({
    status: 200,
    body: [],
  })
})

test('PROF-36 PROF-G7: newest first, one record for each changed field, also within one change', async () => {
  await workspace.put(key, { model: 'claude-sonnet-5', effort: 'low', limit_value: 7 })
  await workspace.put(key, { effort: 'high', limit_value: 7 })
  const records = await workspace.history(key)
  expect(records.map(({ field, new_value }) => [field, new_value])).toEqual([
    ['effort', 'high'],
    ['limit_value', '7'],
    ['effort', 'low'],
    ['model', 'claude-sonnet-5'],
  ])
  const ids = records.map(({ id }) => id)
  expect(ids).toEqual([...ids].sort((a, b) => b - a))
  const times = records.map(({ created_at }) => created_at)
  expect(times).toEqual([...times].sort().reverse())
})

test('PROF-37 PROF-38: a record tells which profile, which field, who and when', async () => {
  await workspace.put(key, { limit_value: 7 })
  const [record, ...rest] = await workspace.history(key)
  expect(rest).toEqual([])
  expect(record).toEqual({
    id: expect.any(Number),
    profile_key: key,
    field: 'limit_value',
    old_value: null,
    new_value: '7',
    actor_user_id: workspace.owner.person_id,
    actor_role: 'brand_admin',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
  })
  expect(Number.isInteger(record?.id)).toBe(true)
})

test('PROF-39: values are texts, also of the limit', async () => {
  await workspace.put(key, { limit_value: 7 })
  await workspace.put(key, { limit_value: 8 })
  expect(await workspace.history(key)).toMatchObject([
    { old_value: '7', new_value: '8' },
    { old_value: null, new_value: '7' },
  ])
})

test('PROF-40: the platform default is null on either side', async () => {
  await workspace.put(key, { effort: 'low' })
  await workspace.reset(key, 'effort')
  expect(await workspace.history(key)).toMatchObject([
    { old_value: 'low', new_value: null },
    { old_value: null, new_value: 'low' },
  ])
})

test('PROF-G7: a change to what already holds writes no record', async () => {
  await workspace.put(key, { effort: 'low', limit_value: 3 })
  await workspace.put(key, { effort: 'low', limit_value: 3 })
  expect(await workspace.history(key)).toHaveLength(2)
})

test('the history of one profile holds nothing of another', async () => {
  await workspace.put('claude.docs', { effort: 'high' })
  expect(await workspace.history(key)).toEqual([])
})

test('a long history is read page by page', async () => {
  for (const effort of ['low', 'medium', 'high', 'low', 'medium']) await workspace.put(key, { effort })
  const all = await workspace.history(key)
  const first = await workspace.history(key, '?limit=2')
  const second = await workspace.history(key, `?limit=2&before=${first.at(-1)?.id}`)
  const third = await workspace.history(key, `?limit=2&before=${second.at(-1)?.id}`)
  expect([...first, ...second, ...third]).toEqual(all)
  expect(third).toHaveLength(1)
})
