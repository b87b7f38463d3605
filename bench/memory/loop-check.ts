import type { CheckLine } from './check-line.ts'
import { answerOf, type Feed, linesOf, type PickUps, type Told } from './pick-ups.ts'
import { readFacts } from './transcripts/transcripts.ts'

const known = 8
const agent = 'build-bot'
const confirmation = 'As far as I can see that still holds today.'
const formats = ['json', 'md', 'yaml'] as const

/** How what was recalled comes back in a conversation. */
const injections: readonly ((recalled: string, bodies: readonly string[]) => string)[] = [
  (recalled) => recalled,
  (recalled) => `<relevant-memories>\n${recalled}\n</relevant-memories>`,
  (_, bodies) => `As I noted before:\n\n${bodies.map((body) => `- ${body}`).join('\n')}`,
  (_, bodies) => bodies.map((body) => `I remember: ${body}`).join('\n'),
  (_, bodies) => bodies.map((body) => body.toUpperCase()).join('\n'),
  (_, bodies) => `> ${bodies.join('\n> ')}`,
]

/** C13: what memory has told an agent does not come back as news, and being repeated makes nothing surer. */
export async function checkLoop(pickUps: PickUps, rounds: number): Promise<CheckLine> {
  const { model } = pickUps
  const facts = readFacts().slice(-known)
  const feed = await pickUps.open([agent])
  const source = await feed.source('claude_code', agent)
  model.reset()
  model.answer = (prompt) =>
    answerOf(
      facts.flatMap(({ said, title, kind }): Told[] => {
        const holding = linesOf(prompt).messages.find(({ text }) => text.includes(said))
        return holding ? [{ quote: said, title, body: said, kind, message: holding.message }] : []
      }),
    )
  await feed.say(
    source,
    'the first',
    facts.map(({ said }) => said),
  )
  await pickUps.pickUp()
  const before = await feed.memories()
  let asked = 0
  let leaked = 0
  // Notes every sentence that it is shown, and takes the confirmation for evidence of the first note.
  model.answer = (prompt) => {
    // Recall asks as well, for an order.
    if (!prompt.user.includes('\nConversation:\n')) return { ids: [] }
    asked += 1
    const { messages, notes } = linesOf(prompt)
    const lines = messages.flatMap(({ message, text }) =>
      text
        .split('\n')
        .map((line) => ({ message, quote: line.trim().slice(0, 300), title: line.trim().slice(0, 300) })),
    )
    // Words of the conversation itself are no memory that came back.
    const others = lines.filter(({ quote }) => quote.length >= 8 && !ours.has(quote))
    leaked += others.length
    const evidence: Told[] =
      notes.length > 0 ? [{ quote: confirmation, title: 'Still so', decision: 'same', existing: 1 }] : []
    return answerOf([...others.slice(0, 10), ...evidence])
  }
  const ours = new Set([confirmation, 'What do we know about this?', 'As I noted before:'])
  for (let round = 0; round < rounds; round += 1) {
    const recalled = await recall(
      feed,
      facts[round % known]?.title ?? '',
      formats[round % formats.length] ?? 'json',
    )
    const inject = injections[round % injections.length]
    const bodies = facts.slice(round % 4, (round % 4) + 3).map(({ said }) => said)
    await feed.say(source, `round ${round}`, [
      'What do we know about this?',
      inject?.(recalled, bodies) ?? recalled,
      confirmation,
    ])
    await pickUps.pickUp()
  }
  const after = await feed.memories()
  const growth = Math.max(
    ...after.map(
      ({ id, confidence }) => confidence - (before.find((each) => each.id === id)?.confidence ?? 0),
    ),
  )
  for (const { title } of after.slice(before.length, before.length + 10)) console.error(`C13 grew: ${title}`)
  return {
    check: 'C13',
    what: `${rounds} rounds of recall, injection, conversation and extraction by a model that notes all it sees and confirms what it knows: memories and confidence more`,
    measured: `${after.length - before.length} of ${before.length}, +${growth.toFixed(3)}; ${asked} calls, ${leaked} recalled lines passed the filter`,
    bar: `0, +0.050; ${rounds} calls`,
    is_met: before.length === known && after.length === before.length && growth <= 0.0501 && asked === rounds,
    is_promise: true,
  }
}

async function recall(feed: Feed, query: string, format: string): Promise<string> {
  const wanted = new URLSearchParams({ query, limit: '5', format })
  const { status, text } = await feed.caller.call('POST', `/agents/${agent}/context/relevant?${wanted}`)
  if (status !== 200) throw new Error(`a recall returned ${status}: ${text.slice(0, 300)}`)
  return text
}
