import { setTimeout } from 'node:timers/promises'
import { scaled } from '@crewhall/testkit/rounds.ts'
import type { ServerProcess } from '@crewhall/testkit/server-process.ts'
import { takeOverNow } from '@crewhall/testkit/take-over.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { conversationIn, memories, usePickUps } from './pickup-world.ts'

const kit = usePickUps()
const { server, startWorker, pickUp, strike, open } = kit
type Workspace = Awaited<ReturnType<typeof open>>

// A pick-up that was missed before would come to a worker that is to die at the next one.
beforeAll(async () => {
  await (await startWorker()).stop()
})

const rounds = scaled(20, 2)
const conversations = 16
const seed = Number(process.env.SEED ?? Date.now() % 100_000)
let state = seed
/** From 0 up to, but without, 1. */
function random(): number {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
  return (state >>> 8) / 2 ** 24
}
const below = (end: number): number => Math.floor(random() * end)

/** What each says is its own, except for a sentence that all of them say and one that the model invents. */
const shared = 'the office is closed on Fridays'
beforeEach(() => {
  kit.model.reset()
  kit.model.answer = (prompt) => {
    const name = /host is called (\w+)/.exec(conversationIn(prompt))?.[1] ?? ''
    return memories(
      { quote: `host is called ${name}`, title: `A host is called ${name}` },
      { quote: shared, title: 'The office is closed on Fridays' },
      { quote: 'nobody ever said this', title: `An invention about ${name}` },
    )
  }
})
const names = Array.from({ length: conversations }, (_, n) => `amber${n}x`)
async function queue(): Promise<Workspace> {
  const workspace = await open()
  await Promise.all(
    names.map((name) =>
      workspace.send(name, [`Remember that the host is called ${name}.`, `Also, ${shared}.`]),
    ),
  )
  return workspace
}

/** All that an uninterrupted run leaves. What was cut off stands in the ledger besides. */
async function outcomeOf({ work }: Workspace) {
  const found = await server.sql(
    `select title, (select count(*)::int from memory.provenance v
       where v.brand_id = m.brand_id and v.memory_id = m.id) as evidence, round(confidence::numeric, 6) as confidence
     from memory.memories m where brand_id = $1 order by title`,
    [work.brand_id],
  )
  const read = await server.sql(
    `select external_id, state, attempts, read_through, (
       select array_agg(row(a.outcome, a.calls, a.produced, a.rejected)::text)
       from conversations.attempts a where a.brand_id = c.brand_id and a.conversation_id = c.id
         and a.outcome is distinct from 'lost') as ended
     from conversations.conversations c where brand_id = $1 order by external_id`,
    [work.brand_id],
  )
  return { found, read }
}
const isDone = async ({ work }: Workspace) =>
  (
    await server.sql(`select from conversations.conversations where brand_id = $1 and state <> 'done'`, [
      work.brand_id,
    ])
  ).length === 0
/** The next worker need not wait for the end of a lease. */
const hurry = () =>
  server.sql(
    `update conversations.conversations set lease_until = platform.now(), next_try_at = platform.now()
     where state = 'reading'`,
  )

test(`C12: a worker killed at a random point, ${rounds} times, among 2 to 4: what is left equals an uninterrupted run (seed ${seed})`, {
  timeout: 60_000 + 60_000 * rounds,
}, async () => {
  const whole = await queue()
  const alone = await startWorker()
  await pickUp()
  const expected = await outcomeOf(whole)
  expect(expected.found).toHaveLength(conversations + 1)
  expect(await isDone(whole)).toBe(true)
  await alone.stop()
  let cut = 0
  for (let round = 0; round < rounds; round += 1) {
    const workspace = await queue()
    const calls = kit.model.calls.chat
    const workers = new Map<string, ServerProcess>()
    await Promise.all(
      Array.from({ length: 2 + (round % 3) }, async (_, n) =>
        workers.set(`of worker ${n}`, await startWorker({ LLM_MODEL: `of worker ${n}` })),
      ),
    )
    // Calls take a moment, so that some of them are under way at any time.
    kit.model.delay_ms = 20 + below(40)
    const last = calls + 1 + below(conversations / 2)
    await strike()
    await waitFor(() => kit.model.calls.chat >= last, 30_000)
    await setTimeout(below(40))
    // The one that is reading; the others have nothing to lose.
    const reading = String(kit.model.bodies.at(-1)?.model)
    await workers.get(reading)?.kill()
    workers.delete(reading)
    kit.model.delay_ms = 0
    await hurry()
    await takeOverNow(server.database.name)
    await pickUp()
    await waitFor(() => isDone(workspace), 30_000)
    expect(await outcomeOf(workspace), `round ${round}`).toEqual(expected)
    const lost = await server.sql(
      `select from conversations.attempts where brand_id = $1 and outcome = 'lost'`,
      [workspace.work.brand_id],
    )
    cut += lost.length
    // What was cut off may have been asked for; nothing else is asked twice.
    expect(kit.model.calls.chat - calls).toBeLessThanOrEqual(conversations + lost.length)
    await Promise.all([...workers.values()].map((worker) => worker.stop()))
  }
  // Otherwise every point was one at which nothing was under way.
  expect(cut).toBeGreaterThan(0)
})
