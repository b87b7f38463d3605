import type { CheckLine } from './check-line.ts'
import { answerOf, linesOf, type PickUps } from './pick-ups.ts'

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
const changing: readonly (readonly [before: string, after: string])[] = [
  ['is owned by team Falcon', 'is owned by team Heron'],
  ['listens on port 8080', 'listens on port 9090'],
  ['is written in Ruby', 'is written in Go'],
  ['is deployed every Tuesday', 'is deployed every Thursday'],
  ['keeps its data in Postgres 16', 'keeps its data in Postgres 17'],
]
/** True beside all of these. */
const others = [
  'has a runbook in the wiki of operations',
  'was audited by the insurer last autumn',
  'sends its traces to the collector in Oslo',
  'costs about 900 euros a month',
  'may be stopped at night without a notice',
  'has no staging environment of its own',
  'answers health checks on a second address',
  'logs in JSON since the summer',
  'gets its secrets from the vault',
  'needs two reviewers for each change',
]
const about = (thing: string, what: string) => `The ${thing} service ${what}`

/** C20: what is true now comes before what was, and facts about the same thing do not hide each other. */
export async function checkSuperseding(pickUps: PickUps, count: number): Promise<CheckLine[]> {
  const { model } = pickUps
  const used = things.slice(0, count)
  const feed = await pickUps.open()
  const source = await feed.source()
  model.reset()
  /** The text that a message claims to take the place of. */
  const claims = new Map<string, string>()
  let claimed = 0
  model.answer = (prompt) => {
    const { messages, notes } = linesOf(prompt)
    return answerOf(
      messages.map(({ message, text }) => {
        const old = claims.get(text)
        const existing = notes.find((note) => note.text.split('\n')[0] === old)?.note
        claimed += existing === undefined ? 0 : 1
        const decision = existing === undefined ? 'new' : 'supersedes'
        return { message, quote: text, title: text, body: text, decision, existing: existing ?? null }
      }),
    )
  }
  const say = async (name: string, textsOf: (thing: string, at: number) => readonly string[]) => {
    for (const [at, thing] of used.entries()) await feed.say(source, `${name} ${thing}`, textsOf(thing, at))
    await pickUps.pickUp()
  }
  await say('before', (thing) => changing.map(([before]) => about(thing, before)))
  for (const thing of used)
    for (const [before, after] of changing) claims.set(about(thing, after), about(thing, before))
  await say('after', (thing) => changing.map(([, after]) => about(thing, after)))
  const rows = await feed.host.sql<{
    id: string
    body: string
    status: string
    superseded_by: string | null
  }>('select id, body, status, superseded_by from memory.memories where brand_id = $1', [
    feed.workspace.brand_id,
  ])
  const rowOf = (body: string) => rows.find((row) => row.body === body)
  let right = 0
  for (const thing of used)
    for (const [before, after] of changing) {
      const { memories } = await feed.caller.found('build-bot', about(thing, before), 50)
      const place = (body: string) => memories.findIndex(({ title }) => title === body)
      const isAbove = place(about(thing, after)) >= 0 && place(about(thing, before)) < 0
      const [old, current] = [rowOf(about(thing, before)), rowOf(about(thing, after))]
      if (isAbove && current && old?.superseded_by === current.id) right += 1
      else console.error(`C20 not superseded: ${about(thing, before)}`)
    }
  // A model that takes ten other facts about each thing for news about one of the five.
  claimed = 0
  const currents = used.flatMap((thing) => changing.map(([, after]) => about(thing, after)))
  for (const thing of used)
    for (const [at, other] of others.entries())
      claims.set(about(thing, other), about(thing, changing[at % changing.length]?.[1] ?? ''))
  await say('beside', (thing) => others.map((other) => about(thing, other)))
  const hidden = (await feed.memories()).filter(
    ({ body, status }) => currents.includes(body) && status !== 'active',
  )
  for (const { body } of hidden) console.error(`C20 hidden: ${body}`)
  const cases = used.length * changing.length
  return [
    {
      check: 'C20',
      what: `${cases} facts that a newer one supersedes: the newer one is found and the old one is not, and names it`,
      measured: `${right} of ${cases}`,
      bar: 'all',
      is_met: right === cases,
      is_promise: true,
    },
    {
      check: 'C20',
      what: `${used.length * others.length} facts about the same things, of which the model said ${claimed} times that they supersede another one: facts hidden`,
      measured: String(hidden.length),
      bar: '0',
      is_met: hidden.length === 0 && claimed > 0,
      is_promise: true,
    },
  ]
}
