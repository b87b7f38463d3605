import { scaled } from '@crewhall/testkit/rounds.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { conversationIn, memories, type Told, usePickUps } from './pickup-world.ts'

// Texts near to a deleted one are found by their meaning as well.
const kit = usePickUps({ EMBEDDINGS: 'offline' })
const { server, startWorker, pickUp, open } = kit
let workspace: Awaited<ReturnType<typeof open>>

beforeAll(async () => {
  await startWorker()
})
beforeEach(async () => {
  kit.model.reset()
  workspace = await open()
})

interface Found {
  readonly id: string
  readonly title: string
  readonly body: string
  readonly confidence: number
}
const active = async () =>
  (
    await workspace.work.call<{ memories: Found[] }>(
      'GET',
      `/memories?agent_id=${workspace.work.agent}&status=active&limit=100`,
    )
  ).body.memories
/** What is active, oldest first, without a title that has to be there. */
async function textsBesides(wanted: string) {
  const found = await server.sql<{ title: string; body: string }>(
    `select title, body from memory.memories where brand_id = $1 and status = 'active' order by id`,
    [workspace.work.brand_id],
  )
  expect(found.map(({ title }) => title)).toContain(wanted)
  return found.filter(({ title }) => title !== wanted)
}
const embedded = () =>
  waitFor(async () => {
    const missing = await server.sql(
      `select from memory.memories m where brand_id = $1 and not exists (
         select from memory.embeddings e where e.brand_id = m.brand_id and e.memory_id = m.id)`,
      [workspace.work.brand_id],
    )
    return missing.length === 0
  }, 60_000)

/** The model notes each conversation as it was said, word for word. */
const noted = (...said: readonly string[]): void => {
  kit.model.answer = ({ user }) => {
    const told: Told[] = said
      .filter((text) => user.includes(text))
      .map((text) => ({ quote: text, title: text }))
    return memories(...told)
  }
}

const fact = 'The nightly backup of the orders database runs at 02:30 and takes forty minutes'
const paraphrases = [
  'The orders database is backed up every night at 02:30, which takes forty minutes',
  'Every night at 02:30 the backup of the orders database runs for forty minutes',
  'Backing up the orders database happens nightly at 02:30 and needs forty minutes',
  'At 02:30 each night we back up the orders database, and that takes forty minutes',
  'Nightly at 02:30 a backup of the database for orders runs, taking forty minutes',
  'The backup of the orders database is a nightly job at 02:30 of about forty minutes',
  'The orders database has a nightly backup at 02:30, it runs forty minutes',
  'Forty minutes is what the nightly backup of the orders database at 02:30 takes',
  'It takes forty minutes to back up the orders database, nightly at 02:30',
  'The nightly 02:30 backup of the orders database lasts forty minutes',
]
const times = paraphrases.length
/** Something new, which has to arrive: the model is heard. */
const control = 'Invoices are sent by the billing service and never by hand'

/** The same conversation and one in other words, ten times each, five of each in a pick-up. */
async function sayAgain(): Promise<void> {
  noted(fact, control, ...paraphrases)
  await workspace.send('control', [`Please remember: ${control}.`])
  for (let at = 0; at < times; at += 5) {
    for (const [n, paraphrase] of paraphrases.slice(at, at + 5).entries()) {
      await workspace.send(`exact ${at + n}`, [`Please remember: ${fact}.`])
      await workspace.send(`other words ${at + n}`, [`Please remember: ${paraphrase}.`])
    }
    await pickUp()
  }
  expect(kit.model.calls.chat).toBe(2 * times + 2)
}
async function learnFact(): Promise<string> {
  noted(fact)
  await workspace.send('first', [`Please remember: ${fact}.`])
  await pickUp()
  await embedded()
  const [memory] = await active()
  expect(memory?.title).toBe(fact)
  return memory?.id ?? ''
}

test(`C17: a corrected memory keeps the text of the person, ${times} of ${times}, exact and in other words`, async () => {
  const id = await learnFact()
  const correction = { title: 'Backup of the orders database', body: 'It runs at 03:15 since the move.' }
  expect((await workspace.work.call('PATCH', `/memories/${id}`, correction)).status).toBe(200)
  await sayAgain()
  const [first, ...others] = await textsBesides(control)
  expect(first).toEqual(correction)
  expect(others.map(({ title }) => title)).not.toContain(fact)
  expect(others.length).toBeLessThanOrEqual(1)
})

test(`C17: a deleted fact comes back 0 times of ${times} in the same words, and at most once in other words`, async () => {
  const id = await learnFact()
  expect((await workspace.work.call('DELETE', `/memories/${id}`)).status).toBe(204)
  await sayAgain()
  const back = await textsBesides(control)
  expect(back.map(({ title }) => title)).not.toContain(fact)
  expect(back.length).toBeLessThanOrEqual(1)
})

const rounds = scaled(20, 5)

test(`C13: ${rounds} rounds of recall, injection, conversation and extraction: no memory more, at most 0.05 more confidence`, {
  timeout: 60_000 + rounds * 10_000,
}, async () => {
  const facts = [
    'The staging cluster is rebuilt every Sunday night by the platform team',
    'Invoices are sent by the billing service and never by hand',
    'The release branch is cut on Tuesdays after the morning meeting',
  ]
  noted(...facts)
  await workspace.send(
    'first',
    facts.map((text) => `Please remember: ${text}.`),
  )
  await pickUp()
  const before = await active()
  expect(before).toHaveLength(3)
  const total = (found: readonly Found[]) => found.reduce((sum, { confidence }) => sum + confidence, 0)
  // In words of its own, which no filter can know from new ones: the model takes that for new.
  const echo = 'On Sunday nights the platform team rebuilds the staging cluster'
  kit.model.answer = ({ user }) => {
    const conversation = conversationIn({ user })
    const said = [...facts, echo].filter((text) => conversation.includes(text))
    return memories(
      ...said.map((text): Told => {
        const note = text === echo ? /"note":(\d+)[^\n]*staging cluster/.exec(user)?.[1] : undefined
        const about = note === undefined ? {} : ({ decision: 'same', existing: Number(note) } as const)
        return { quote: text, title: text, ...about }
      }),
    )
  }
  for (let round = 1; round <= rounds; round += 1) {
    const query = new URLSearchParams({
      query: 'staging cluster, invoices and the release branch',
      format: 'md',
    })
    const recalled = await workspace.work.call<string>(
      'POST',
      `/agents/${workspace.work.agent}/context/relevant?${query}`,
    )
    const injected = typeof recalled.body === 'string' ? recalled.body : JSON.stringify(recalled.body)
    for (const text of facts) expect(injected).toContain(text)
    await workspace.send(`round ${round}`, [
      `${injected}\n\nWhen does staging lose its data? I ask for the ${round}th time.`,
      `${echo}, so on Mondays it is empty.`,
    ])
    await pickUp()
  }
  const after = await active()
  expect(after.map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort())
  const growth = total(after) - total(before)
  expect(growth).toBeLessThanOrEqual(0.05 + 1e-9)
  // Recalls ask the model too, for an order.
  const extractions = kit.model.prompts.filter(({ user }) => user.includes('\nConversation:')).slice(1)
  expect(extractions).toHaveLength(rounds)
  for (const prompt of extractions) {
    const conversation = conversationIn(prompt)
    for (const text of facts) expect(conversation).not.toContain(text)
    expect(conversation).toContain(echo)
  }
})
