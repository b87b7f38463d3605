import { useServer } from '@crewhall/testkit/test-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Change, LearningWorkspace } from './consolidation-world.ts'
import type { Memory } from './memory-world.ts'

const server = useServer('product')
let work: LearningWorkspace
beforeAll(async () => {
  work = await LearningWorkspace.open(server)
  await server.start('worker')
})

const titles = ['The tunnel must be open', 'Migrations run first', 'Tag before you release']
const idsOf = (memories: readonly Memory[]) => memories.map(({ id }) => id).toSorted()
const statuses = async (agent: LearningWorkspace, memories: readonly Memory[]) =>
  (await Promise.all(memories.map(({ id }) => agent.get(id)))).map(({ status }) => status)

test('MEMO-68 MEMO-51 C21: three learnings with a tag become one pattern that has their texts and lists them', async () => {
  const bot = await work.withAgent('three')
  const learned = await bot.learnAll(titles, ['deploy', 'infra'])
  const pattern = await bot.pattern()
  expect(pattern).toMatchObject({
    kind: 'pattern',
    status: 'active',
    tags: ['deploy', 'infra'],
    is_locked: false,
  })
  expect(pattern.evidence).toEqual(idsOf(learned))
  expect(pattern.title).toBe(`deploy: ${titles.join('; ')}`)
  expect(pattern.body).toBe(titles.map((title) => `- ${title}: What we know about ${title}.`).join('\n'))
  expect(await bot.stats()).toMatchObject({ total_active: 1, total_merged: 3, by_kind: { pattern: 1 } })
  const merged = await bot.list({ status: 'merged' })
  expect(merged.map(({ merged_into }) => merged_into)).toEqual(merged.map(() => pattern.id))
  for (const { id, title, body } of learned) expect(await bot.get(id)).toMatchObject({ title, body })
})

test('MEMO-G18: pattern and sources change in one commit, made by the platform, and the history says so', async () => {
  const bot = await work.withAgent('history')
  const learned = await bot.learnAll(titles, ['deploy'])
  const pattern = await bot.pattern()
  const [created] = (await bot.changes(pattern.id)) as [Change]
  expect(created).toMatchObject({ version: 1, action: 'created' })
  for (const { id } of learned) {
    const [last] = await bot.changes(id)
    expect(last).toMatchObject({ version: 2, action: 'merged', reason: `Merged into ${pattern.id}` })
    expect(last?.actor).toMatchObject({ kind: 'system', id: 'memory.consolidate' })
    // The time of the transaction, to the microsecond.
    expect(last?.created_at).toBe(created.created_at)
  }
  const events = await server.sql<{ type: string; subject_id: string }>(
    'select type, subject_id from platform.workspace_events where brand_id = $1 order by id',
    [work.brand_id],
  )
  const told = events.filter(({ subject_id }) => [pattern.id, ...idsOf(learned)].includes(subject_id))
  expect(told.map(({ type }) => type)).toEqual([
    ...Array(3).fill('memory.created'),
    'memory.created',
    ...Array(3).fill('memory.updated'),
  ])
})

describe('MEMO-68: what does not count', () => {
  test.for([
    ['two learnings', (bot: LearningWorkspace) => bot.learnAll(titles.slice(1), ['a'])],
    [
      'memories of another kind',
      async (bot: LearningWorkspace) => [
        ...(await bot.learnAll(titles.slice(1), ['a'])),
        await bot.learn('Third', ['a'], { kind: 'fact' }),
      ],
    ],
    [
      'other tags',
      async (bot: LearningWorkspace) => [
        ...(await bot.learnAll(titles.slice(1), ['a'])),
        await bot.learn('Third', ['ab']),
      ],
    ],
    ['no tags', (bot: LearningWorkspace) => bot.learnAll(titles, [])],
    [
      'learnings that search no longer shows',
      async (bot: LearningWorkspace) => [
        ...(await bot.learnAll(titles.slice(1), ['a'])),
        await bot.learn('Third', ['a'], { confidence: 0.2 }),
      ],
    ],
    [
      'texts that do not fit into one memory',
      (bot: LearningWorkspace) => bot.learnAll(titles, ['a'], { body: 'word '.repeat(800) }),
    ],
  ] as const)('%s', async ([name, write]) => {
    const bot = await work.withAgent(name.replaceAll(' ', '-'))
    const written = await write(bot)
    await bot.looked()
    expect(await statuses(bot, written)).toEqual(written.map(() => 'active'))
    expect(await bot.stats()).toMatchObject({ total_active: written.length, total_merged: 0 })
  })

  test('learnings of another agent, and of another workspace', async () => {
    const [one, two] = [await work.withAgent('one'), await work.withAgent('two')]
    const other = await LearningWorkspace.open(server, 'one')
    await one.learnAll(titles.slice(1), ['apart'])
    await two.learn('Third', ['apart'])
    await other.learn('Third', ['apart'])
    await one.looked()
    await other.looked()
    for (const bot of [one, two, other]) expect(await bot.patterns()).toEqual([])
  })
})

test('MEMO-68: tags are one tag whatever their case and blanks, and a tag twice on one learning counts once', async () => {
  const bot = await work.withAgent('spelling')
  await bot.learn(titles[0] as string, ['Straße  Nord', 'STRASSE nord'])
  await bot.learn(titles[1] as string, ['strasse nord'])
  await bot.looked()
  expect(await bot.patterns()).toEqual([])
  await bot.learn(titles[2] as string, [' Strasse Nord '])
  expect((await bot.pattern()).tags).toEqual(['Straße  Nord'])
})

test.for([
  ['a tag that is added', { tags: [] }, { tags: ['late'] }],
  ['a kind that is changed', { kind: 'fact' }, { kind: 'learning' }],
] as const)('MEMO-68: %s makes three as well', async ([name, before, change]) => {
  const bot = await work.withAgent(name.replaceAll(' ', '-'))
  await bot.learnAll(titles.slice(1), ['late'])
  const third = await bot.learn('Third', ['late'], before)
  await bot.looked()
  expect(await bot.patterns()).toEqual([])
  await bot.change(third.id, change)
  expect((await bot.pattern()).evidence).toContain(third.id)
})

test('MEMO-68: an archived learning counts when it is active again, and a deleted one when it is restored', async () => {
  const bot = await work.withAgent('returning')
  await bot.learn('First', ['back'])
  const archived = await bot.learn('Second', ['back'])
  await bot.change(archived.id, { status: 'archived' })
  const deleted = await bot.learn('Third', ['back'])
  await bot.call('DELETE', `/memories/${deleted.id}`)
  await bot.change(archived.id, { status: 'active' })
  await bot.looked()
  expect(await bot.patterns()).toEqual([])
  await bot.call('POST', `/memories/${deleted.id}/restore`, { version: 1 })
  expect((await bot.pattern()).evidence).toHaveLength(3)
})

test('M6: a learning that a person has written takes part and keeps its text and its lock', async () => {
  const bot = await work.withAgent('locked')
  const learned = await bot.learnAll(titles, ['mine'])
  expect(learned.map(({ is_locked }) => is_locked)).toEqual([true, true, true])
  await bot.pattern()
  for (const { id, title, body } of learned)
    expect(await bot.get(id)).toMatchObject({ status: 'merged', title, body, is_locked: true })
})

test('a pattern has the highest confidence and importance among its sources, and all their tags', async () => {
  const bot = await work.withAgent('values')
  await bot.learn('First', ['v', 'x'], { confidence: 0.4, importance: 'low' })
  await bot.learn('Second', ['y', 'v'], { confidence: 0.7, importance: 'critical' })
  await bot.learn('Third', ['v', 'y'], { confidence: 0.5 })
  expect(await bot.pattern()).toMatchObject({
    confidence: 0.7,
    importance: 'critical',
    tags: ['v', 'y', 'x'],
  })
})

test('MEMO-68: later learnings count anew, and three of them go into the same pattern', async () => {
  const bot = await work.withAgent('later')
  await bot.learnAll(titles, ['grow'])
  const { id } = await bot.pattern()
  const more = await bot.learnAll(['Fourth', 'Fifth'], ['grow'])
  await bot.looked()
  expect(await statuses(bot, more)).toEqual(['active', 'active'])
  more.push(await bot.learn('Sixth', ['grow']))
  const grown = await bot.pattern()
  expect([grown.id, grown.version, grown.evidence.length]).toEqual([id, 2, 6])
  expect(grown.body.split('\n')).toHaveLength(6)
  expect((await bot.unmerge(id)).body.memory_ids).toHaveLength(6)
})

test('a pattern that a person has edited is theirs: later learnings get one of their own', async () => {
  const bot = await work.withAgent('edited')
  await bot.learnAll(titles, ['edit'])
  const { id } = await bot.pattern()
  await bot.change(id, { body: 'In my own words.' })
  await bot.learnAll(['Fourth', 'Fifth', 'Sixth'], ['edit'])
  await bot.looked()
  const patterns = await bot.patterns()
  expect(patterns.map((each) => each.id)).toContain(id)
  expect(patterns).toHaveLength(2)
  expect((await bot.get(id)).body).toBe('In my own words.')
})

describe('M8: a generic tag', () => {
  const fill = (bot: LearningWorkspace, count: number) =>
    server.sql(
      `insert into memory.memories (brand_id, id, agent_id, kind, title, body, text_hash, created_by, updated_by)
       select $1, gen_random_uuid(), $2, 'fact', 'F', 'F', '', '{}', '{}' from generate_series(1, $3::int)`,
      [bot.brand_id, bot.agent, count],
    )

  test('on more than a fifth of more than 50 memories does not trigger', async () => {
    const bot = await work.withAgent('generic')
    await fill(bot, 51)
    await server.sql(
      `insert into memory.memories (brand_id, id, agent_id, kind, title, body, tags, text_hash, created_by, updated_by)
       select $1, gen_random_uuid(), $2, 'fact', 'F', 'F', '{common}', '', '{}', '{}' from generate_series(1, 11)`,
      [bot.brand_id, bot.agent],
    )
    const learned = await bot.learnAll(titles, ['common'])
    await bot.looked()
    expect(await statuses(bot, learned)).toEqual(['active', 'active', 'active'])
    // 15 of 75 are a fifth.
    await fill(bot, 9)
    await bot.learn('Fourth', ['common'])
    expect((await bot.pattern()).evidence).toHaveLength(4)
  })

  test('on all of up to 50 memories does', async () => {
    const bot = await work.withAgent('small')
    await fill(bot, 47)
    await bot.learnAll(titles, ['common'])
    expect((await bot.pattern()).evidence).toHaveLength(3)
  })
})
