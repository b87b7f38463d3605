import { afterAll, beforeAll, expect, test } from 'vitest'
import { addMemory, supersede } from '#modules/memory'
import { textVectors } from '#platform/embeddings/text-vectors.ts'
import { AutomationBed, draft } from '../../../../test/memory-automation.ts'
import { searchMemories } from '../search/search.service.ts'

let bed: AutomationBed
beforeAll(async () => {
  bed = await AutomationBed.open({ EMBEDDINGS: 'off' })
})
afterAll(() => bed.close())

const things = [
  'payments',
  'orders',
  'search',
  'billing',
  'login',
  'reports',
  'uploads',
  'mail',
  'export',
  'chat',
]
/** What can be said of each, before and after. */
const attributes: readonly (readonly [before: string, after: string])[] = [
  ['is owned by team Falcon', 'is owned by team Heron'],
  ['listens on port 8080', 'listens on port 9090'],
  ['is written in Ruby', 'is written in Go'],
  ['is deployed every Tuesday', 'is deployed every Thursday'],
  ['keeps its data in Postgres 16', 'keeps its data in Postgres 17'],
]
const about = (thing: string, what: string) => `The ${thing} service ${what}`
const add = async (agent: string, body: string) => {
  const outcome = await bed.write((tx) => addMemory(tx, agent, draft(body), bed.origin()))
  return outcome.decision === 'new' ? outcome.id : `${outcome.decision}`
}
const taking = (old: string, body: string) => bed.write((tx) => supersede(tx, old, draft(body), bed.origin()))

test('C20: what is true now is found before what was, 50 of 50, and the old one names it', async () => {
  const agent = await bed.newAgent()
  const vectors = textVectors(bed.parts.embeddings)
  let right = 0
  for (const thing of things)
    for (const [before, after] of attributes) {
      const old = await add(agent, about(thing, before))
      const outcome = await taking(old, about(thing, after))
      const query = { query: about(thing, before), kinds: ['fact'] as const, limit: 50 }
      const { memories } = await searchMemories(bed.automation, vectors, agent, query)
      const found = memories.map(({ body }) => body)
      const [row] = (await bed.memories(agent)).filter(({ id }) => id === old)
      const isNamed = outcome.decision === 'supersedes' && row?.superseded_by === outcome.id
      if (isNamed && found.includes(about(thing, after)) && !found.includes(about(thing, before))) right += 1
    }
  expect(right).toBe(50)
})

test('C20: of 100 pairs of facts about one thing none hides the other, also when a model says so', async () => {
  const hidden: string[] = []
  let pairs = 0
  for (const thing of things) {
    const agent = await bed.newAgent()
    const ids = new Map<string, string>()
    for (const [fact] of attributes) ids.set(fact, await add(agent, about(thing, fact)))
    for (const [at, [one]] of attributes.entries())
      for (const [other] of attributes.slice(at + 1)) {
        pairs += 1
        const outcome = await taking(ids.get(one) ?? '', about(thing, other))
        if (outcome.decision !== 'conflicts') hidden.push(`${one} by ${other}: ${outcome.decision}`)
      }
    expect((await bed.memories(agent)).map(({ status }) => status)).toEqual(attributes.map(() => 'active'))
  }
  expect([pairs, hidden]).toEqual([100, []])
})
