import { scaled } from '@crewhall/testkit/rounds.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { conversationIn, hour, memories, usePickUps } from './pickup-world.ts'

const cap = scaled(100, 10)
const queued = scaled(1000, 30)
const kit = usePickUps({ CONVERSATIONS_DAILY_CALLS: String(cap), RECALL_DAILY_CALLS: '2' })
const { server, startWorker, strike, advance, open } = kit

beforeAll(async () => {
  await Promise.all([startWorker(), startWorker()])
})
beforeEach(() => kit.model.reset())

const day = 24 * hour
const reason = `The workspace has used its ${cap} model calls of today`

test(`C16: ${queued} conversations and ${cap} calls a day: never more calls, the rest waits visibly and goes on the next day`, {
  timeout: scaled(1_200_000, 120_000),
}, async () => {
  const workspace = await open()
  kit.model.answer = (prompt) => {
    const name = /host is called (\w+)/.exec(conversationIn(prompt))?.[1] ?? ''
    return memories({ quote: `host is called ${name}`, title: `A host is called ${name}` })
  }
  const names = Array.from({ length: queued }, (_, n) => `amber${n}x`)
  for (let at = 0; at < queued; at += 10)
    await Promise.all(
      names
        .slice(at, at + 10)
        .map((name) => workspace.send(name, [`Remember that one more host is called ${name}.`])),
    )
  const countIn = async (state: string) => {
    const [found] = await server.sql<{ n: number }>(
      'select count(*)::int as n from conversations.conversations where brand_id = $1 and state = $2',
      [workspace.work.brand_id, state],
    )
    return found?.n ?? 0
  }
  for (let done = cap; done <= queued; done += cap) {
    await strike()
    await waitFor(
      async () => (await countIn('done')) === done && (await countIn('held')) === queued - done,
      scaled(300_000, 60_000),
    )
    expect(kit.model.calls.chat).toBe(done)
    const midnight = new Date((Math.floor(kit.at() / day) + 1) * day)
    const { conversations } = (
      await workspace.work.call<{ conversations: { state: string; reason: string; next_try_at: string }[] }>(
        'GET',
        '/conversations?state=held&limit=5',
      )
    ).body
    expect(conversations).toHaveLength(Math.min(5, queued - done))
    for (const held of conversations) {
      expect(held.reason).toBe(reason)
      expect(Date.parse(held.next_try_at)).toBe(midnight.getTime())
    }
    // Nothing is asked on the same day, however often the time of a pick-up comes.
    if (done === cap) {
      await kit.pickUp()
      expect(kit.model.calls.chat).toBe(done)
    }
    await advance(midnight.getTime() - kit.at() + 1000)
  }
  expect(await workspace.titles()).toHaveLength(queued)
})

interface Usage {
  readonly usage: readonly {
    readonly purpose: string
    readonly source_id: string | null
    readonly calls: number
    readonly tokens: number
  }[]
  readonly today: { readonly calls: number }
}

test('C16: patterns are paid for from the same limit, and above it have a text without the model', async () => {
  const { work } = await open()
  const saying = { title: 'Tunnels and migrations', statement: 'The tunnel must be open and migrations run.' }
  kit.model.answer = () => saying
  const learn = async (tag: string) => {
    for (const title of ['The tunnel must be open', 'Migrations run first', 'Releases are signed'])
      await work.call('POST', '/memories', {
        agent_id: work.agent,
        kind: 'learning',
        title: `${title} (${tag})`,
        body: `${title}, as we know of ${tag}.`,
        tags: [tag],
      })
    const [pattern] = await waitFor(async () => {
      const found = await server.sql<{ title: string }>(
        `select title from memory.memories where brand_id = $1 and kind = 'pattern' and $2 = any(tags)`,
        [work.brand_id, tag],
      )
      return found.length > 0 && found
    }, 30_000)
    return pattern?.title
  }
  const usage = async () => (await work.call<Usage>('GET', '/usage')).body
  expect(await learn('deploy')).toContain(saying.title)
  expect(kit.model.calls.chat).toBe(1)
  const spent = kit.model.tokens.prompt + kit.model.tokens.completion
  expect(await usage()).toMatchObject({
    usage: [{ purpose: 'consolidation', source_id: null, calls: 1, tokens: spent }],
    today: { calls: 1 },
  })
  await server.sql('update conversations.spend set calls = $2 where brand_id = $1', [work.brand_id, cap])
  expect(await learn('release')).toMatch(/^release: /)
  expect(kit.model.calls.chat).toBe(1)
  expect((await usage()).today.calls).toBe(cap)
})

test('C16: recalls are paid for from a limit of their own, and above it have the order of the search', async () => {
  const { work } = await open()
  for (const title of ['Deploy on Tuesdays', 'Deploy from the main branch'])
    await work.call('POST', '/memories', { agent_id: work.agent, kind: 'fact', title, body: title })
  kit.model.answer = () => ({ ids: [2, 1] })
  const recall = async () => {
    const path = `/api/v1/memory/agents/${work.agent}/context/relevant?query=deploy&limit=5&format=json`
    const headers = { authorization: `Bearer ${work.token}` }
    const response = await fetch(`${kit.api.url}${path}`, { method: 'POST', headers })
    const { memories } = (await response.json()) as { memories: { title: string }[] }
    return {
      status: response.status,
      is_reranked: response.headers.get('x-reranked'),
      titles: memories.map(({ title }) => title),
    }
  }
  const first = await recall()
  expect(first).toMatchObject({ status: 200, is_reranked: 'true' })
  const spent = kit.model.tokens.prompt + kit.model.tokens.completion
  // A call that fails has been made, and counts.
  kit.model.next = ['error']
  expect(await recall()).toMatchObject({ status: 200, is_reranked: 'false' })
  expect(await recall()).toEqual({
    status: 200,
    is_reranked: 'false',
    titles: first.titles.toReversed(),
  })
  expect(kit.model.calls.chat).toBe(2)
  const { body } = await work.call<Usage & { today: { recall: object } }>('GET', '/usage')
  expect(body).toMatchObject({
    usage: [{ purpose: 'recall', source_id: null, calls: 2 }],
    today: { calls: 0, recall: { calls: 2, call_limit: 2 } },
  })
  expect(body.usage[0]?.tokens).toBeGreaterThanOrEqual(spent)
})
