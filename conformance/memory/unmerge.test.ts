import { useServer } from '@crewhall/testkit/test-server.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { LearningWorkspace, type Merged } from './consolidation-world.ts'
import { type Item, nowhere } from './memory-world.ts'

const server = useServer('product')
let work: LearningWorkspace
beforeAll(async () => {
  work = await LearningWorkspace.open(server)
})

const topics = ['billing', 'search', 'deploy', 'mobile', 'backups', 'queues', 'photos', 'invoices']
const parts = [
  ['retries need a key', 'Without it a second charge appears. Ask Ravindra for the ledger'],
  ['the cache is cold after midnight', 'The first hour takes 40 seconds. A warm-up runs from Lisbon'],
  ['limits are per workspace', 'Above them callers get a refusal. The board of Kestrel raises them'],
] as const
const questions = topics.flatMap((topic) => [
  `which key do ${topic} retries need`,
  `${topic}: who has the ledger, Ravindra?`,
  `is the ${topic} cache cold`,
  `${topic} warm-up Lisbon`,
  `are ${topic} limits per workspace`,
  `who raises ${topic} limits, Kestrel`,
])

/** Everything that a caller sees. How long ago something happened, and who wrote last, are no part of what comes back. */
async function seen(bot: LearningWorkspace) {
  const found = await Promise.all(
    questions.map(async (query) => (await bot.search({ query, why: 'true', limit: '50' })).text),
  )
  const top = (await bot.search({ why: 'true', limit: '50' })).text
  const list = await bot.list({})
  const entries = list.map(({ version: _, updated_at: __, ...rest }) => ({ ...rest, updated_by: null }))
  const expiring = await bot.call('GET', `/memories/expiring?agent_id=${bot.agent}&within_days=365`)
  const ids = (expiring.body.memories as Item[]).map(({ id }) => id)
  const stats = (await bot.call('GET', `/memories/stats?agent_id=${bot.agent}`)).text
  const ageless = [top, ...found].map((text) => text.replaceAll(/"age_days":[\d.]+/g, ''))
  return { found: ageless, entries, ids, stats }
}

describe('C21: all topics of an agent are merged and un-merged', () => {
  let bot: LearningWorkspace
  let before: Awaited<ReturnType<typeof seen>>
  /** Of each question, the learning that has the answer. */
  let wanted: string[]
  let hitsBefore: number
  let patterns: readonly Merged[]

  const hits = async (isIn: (item: Item, id: string) => boolean): Promise<number> => {
    const each = questions.map(async (query, at) => {
      const { memories } = (await bot.search({ query, limit: '5' })).body
      return memories.some((item) => isIn(item, wanted[at] as string)) ? 1 : 0
    })
    return (await Promise.all(each)).reduce<number>((sum, hit) => sum + hit, 0)
  }

  beforeAll(async () => {
    bot = await work.withAgent('librarian')
    wanted = []
    for (const [n, topic] of topics.entries()) {
      for (const [title, body] of parts) {
        const more = { body, confidence: 0.5 + n / 20, importance: n === 3 ? 'critical' : 'normal' }
        const { id } = await bot.learn(`In ${topic}, ${title}`, [topic], more)
        wanted.push(id, id)
      }
      for (const word of ['key', 'cache', 'limits', 'retries'])
        await bot.add({
          title: `The ${topic} ${word} was discussed`,
          body: `Nobody knows more of the ${word}.`,
        })
    }
    await bot.age(wanted[0] as string, 20)
    before = await seen(bot)
    hitsBefore = await hits(({ id }, source) => id === source)
    await server.start('worker')
    await bot.looked()
    patterns = await Promise.all((await bot.patterns()).map(({ id }) => bot.get(id)))
  })

  test('C21: facts of merged learnings are found among the first five at 0.95 or more of what it was', async () => {
    expect(patterns).toHaveLength(topics.length)
    expect(await bot.stats()).toMatchObject({ total_merged: topics.length * 3 })
    const evidence = new Map(patterns.map((pattern) => [pattern.id, pattern.evidence]))
    const hitsAfter = await hits(({ id }, source) => evidence.get(id)?.includes(source) ?? false)
    expect(hitsBefore).toBeGreaterThan(questions.length / 2)
    expect(hitsAfter / hitsBefore).toBeGreaterThanOrEqual(0.95)
  })

  test('C21: un-merging brings back status, confidence, times, ranks and counts exactly, and it stays so', async () => {
    for (const { id, evidence } of patterns) {
      const { status, body } = await bot.unmerge(id, { reason: 'Apart' })
      expect([status, body.pattern_id, body.memory_ids]).toEqual([200, id, evidence])
    }
    await bot.looked()
    expect(await seen(bot)).toEqual(before)
    const [first] = patterns[0]?.evidence ?? []
    expect((await bot.changes(first as string)).map(({ action, reason }) => [action, reason])).toEqual([
      ['unmerged', 'Apart'],
      ['merged', `Merged into ${patterns[0]?.id}`],
      ['created', null],
    ])
  })
})

/** An agent with a pattern of three. */
async function merged(agent: string): Promise<{ bot: LearningWorkspace; pattern: Merged }> {
  const bot = await work.withAgent(agent)
  await bot.learnAll(['One', 'Two', 'Three'], ['t', 'u'])
  return { bot, pattern: await bot.pattern() }
}

test('MEMO-68: what was un-merged is not merged again, by no tag, while new learnings are', async () => {
  const { bot, pattern } = await merged('again')
  await bot.unmerge(pattern.id)
  await bot.learnAll(['Four', 'Five'], ['t', 'u'])
  await bot.looked()
  expect(await bot.patterns()).toEqual([])
  const six = await bot.learn('Six', ['t'])
  const { evidence } = await bot.pattern()
  expect(evidence).toHaveLength(3)
  expect(evidence).toContain(six.id)
  expect(evidence.filter((id) => pattern.evidence.includes(id))).toEqual([])
})

test('a source that a person makes active again stays so, and is left alone when the others are un-merged', async () => {
  const { bot, pattern } = await merged('patched')
  const [one, ...others] = pattern.evidence as [string, ...string[]]
  expect((await bot.change(one, { status: 'active' })).body).toMatchObject({
    status: 'active',
    merged_into: null,
  })
  await bot.looked()
  expect(await bot.stats()).toMatchObject({ total_active: 2, total_merged: 2 })
  const { version } = await bot.get(one)
  expect((await bot.unmerge(pattern.id)).body.memory_ids).toEqual(others)
  expect(await bot.get(one)).toMatchObject({ status: 'active', version })
})

test('a change of a merged learning is kept when it is un-merged', async () => {
  const { bot, pattern } = await merged('corrected')
  const [one] = pattern.evidence as [string]
  await bot.change(one, { body: 'As it really is.' })
  expect((await bot.get(one)).status).toBe('merged')
  await bot.unmerge(pattern.id)
  expect(await bot.get(one)).toMatchObject({ status: 'active', body: 'As it really is.' })
})

test('a deleted pattern takes its facts with it, and comes back with them', async () => {
  const { bot, pattern } = await merged('deleted')
  await bot.call('DELETE', `/memories/${pattern.id}`)
  await bot.looked()
  expect(await bot.stats()).toMatchObject({ total_active: 0, total_merged: 3 })
  expect((await bot.unmerge(pattern.id)).status).toBe(404)
  await bot.call('POST', `/memories/${pattern.id}/restore`, { version: 1 })
  expect((await bot.get(pattern.id)).evidence).toEqual(pattern.evidence)
  expect((await bot.unmerge(pattern.id)).body.memory_ids).toEqual(pattern.evidence)
})

test('MEMO-G18: a memory is never restored to merged unless it is in a pattern', async () => {
  const { bot, pattern } = await merged('restored')
  const [one, two] = pattern.evidence as [string, string]
  await bot.call('DELETE', `/memories/${two}`)
  const back = await bot.call<Merged>('POST', `/memories/${two}/restore`, { version: 2 })
  expect(back.body).toMatchObject({ status: 'merged', merged_into: pattern.id })
  await bot.unmerge(pattern.id)
  const restored = await bot.call<Merged>('POST', `/memories/${one}/restore`, { version: 2 })
  expect(restored.body).toMatchObject({ status: 'active', merged_into: null })
})

test('what was not made from others is refused, and what is not there, and a second time', async () => {
  const { bot, pattern } = await merged('refused')
  const refusals = [
    [pattern.evidence[0] as string, 409, 'The memory is not a pattern that was made from others'],
    [(await bot.add({ kind: 'pattern' })).id, 409, 'The memory is not a pattern that was made from others'],
    [nowhere, 404, 'Memory not found'],
  ] as const
  for (const [id, status, detail] of refusals)
    expect(await bot.unmerge(id)).toMatchObject({ status, body: { detail } })
  const both = await Promise.all([bot.unmerge(pattern.id), bot.unmerge(pattern.id)])
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404])
})

test('un-merging takes the scope to write', async () => {
  const { bot, pattern } = await merged('scope')
  const token = await bot.tokenWith('memory:read')
  const { status } = await bot.call('POST', `/memories/${pattern.id}/unmerge`, {}, { token })
  expect(status).toBe(403)
})
