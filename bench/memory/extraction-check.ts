import { type CheckLine, share } from './check-line.ts'
import { atOnce } from './memory-host.ts'
import { answerOf, type Feed, linesOf, type PickUps } from './pick-ups.ts'
import { ReadingModel } from './transcripts/reading-model.ts'
import {
  bootFile,
  factsOfEach,
  noiseOfEach,
  ownSection,
  readNoise,
  type TranscriptCase,
  transcripts,
} from './transcripts/transcripts.ts'
import { type SourceForm, sourceTypes } from './transcripts/turns.ts'

type Sources = Readonly<Record<SourceForm, string>>

/** Of each source form one; messages that are not from a file go to a source of either tool. */
async function sourcesOf(feed: Feed): Promise<Sources> {
  return {
    claude_code: await feed.source('claude_code'),
    openclaw: await feed.source('openclaw'),
    messages: await feed.source('claude_code'),
  }
}
const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, each) => all + each, 0)
const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')

/** C10 and C11: what was said becomes memories and nothing else does; and it is paid for once. */
export async function checkExtraction(pickUps: PickUps, count: number): Promise<CheckLine[]> {
  const { model } = pickUps
  const cases = transcripts(count)
  const reader = new ReadingModel(
    cases.flatMap(({ facts }) => facts),
    readNoise(),
  )
  model.reset()
  model.answer = reader.answer
  const feed = await pickUps.open()
  const sources = await sourcesOf(feed)
  const ids = new Map<string, TranscriptCase>()
  const sendAll = () =>
    atOnce(4, cases, async (each) => {
      const { id } = await feed.send(sources[each.form], each.sent)
      ids.set(id, each)
    })
  await sendAll()
  await pickUps.pickUp()
  return [...(await extracted(feed, ids, reader)), await repeated(pickUps, feed, { sendAll, cases, sources })]
}

async function extracted(
  feed: Feed,
  ids: ReadonlyMap<string, TranscriptCase>,
  reader: ReadingModel,
): Promise<CheckLine[]> {
  const stored = await feed.host.sql<{ conversation_id: string; title: string; body: string; quote: string }>(
    `select p.conversation_id, m.title, m.body, p.quote from memory.provenance p
     join memory.memories m on m.brand_id = p.brand_id and m.id = p.memory_id where p.brand_id = $1`,
    [feed.workspace.brand_id],
  )
  const planted = [...ids].flatMap(([id, { facts }]) => facts.map((fact) => ({ id, ...fact })))
  const isPlanted = (row: (typeof stored)[number]) =>
    ids
      .get(row.conversation_id)
      ?.facts.some(({ said, title }) => row.title === title && row.body === said && row.quote === said)
  const right = stored.filter(isPlanted).length
  const junk = stored.filter((row) => !isPlanted(row))
  for (const row of junk.slice(0, 10)) console.error(`C10 junk: ${JSON.stringify(row)}`)
  const missing = planted.filter(
    ({ id, title }) => !stored.some((row) => row.conversation_id === id && row.title === title),
  )
  for (const { title } of missing.slice(0, 10)) console.error(`C10 missing: ${title}`)
  const reasons: Record<string, number> = {}
  for (const id of ids.keys())
    for (const { candidates } of (await feed.ledger(id)).ledger)
      for (const { decision, reason } of candidates)
        if (decision === 'rejected') reasons[reason ?? 'none'] = (reasons[reason ?? 'none'] ?? 0) + 1
  const invented = sum(reader.invented)
  const recall = right / planted.length
  const junkShare = junk.length / Math.max(1, stored.length)
  const noise = ids.size * noiseOfEach
  return [
    {
      check: 'C10',
      what: `${ids.size} transcripts of ${sourceTypes.length} forms, ${planted.length} facts among ${noise} lines of noise: facts stored, junk among what is stored`,
      measured: `${share(recall)} of facts; ${share(junkShare)} junk (${junk.length}); ${reader.seen.size} lines of noise passed the filter`,
      bar: '0.95; 0.02',
      is_met: recall >= 0.95 && junkShare <= 0.02,
      is_promise: true,
    },
    {
      check: 'C10',
      what: `inventions of the model (${listed(reader.invented)}): rejected, with the reason in the ledger`,
      measured: `${sum(reasons)} of ${invented}: ${listed(reasons)}`,
      bar: `all, ${Math.floor(ids.size * factsOfEach * 0.3)} or more`,
      is_met: sum(reasons) === invented && invented >= Math.floor(recall * ids.size * factsOfEach * 0.3),
      is_promise: true,
    },
  ]
}

interface Sending {
  readonly sendAll: () => Promise<void>
  readonly cases: readonly TranscriptCase[]
  readonly sources: Sources
}
const rounds = 5
async function repeated(
  pickUps: PickUps,
  feed: Feed,
  { sendAll, cases, sources }: Sending,
): Promise<CheckLine> {
  const { model } = pickUps
  const before = { calls: model.calls.chat, memories: (await feed.memories()).length }
  for (let round = 0; round < rounds; round += 1) {
    await sendAll()
    await pickUps.pickUp()
  }
  const again = {
    calls: model.calls.chat - before.calls,
    memories: (await feed.memories()).length - before.memories,
  }
  // One message more in a conversation of each form.
  const first = model.prompts.length
  const grown = sourceTypes.flatMap((form) => cases.find((each) => each.form === form) ?? [])
  for (const each of grown) await feed.send(sources[each.form], each.later)
  await pickUps.pickUp()
  const prompts = model.prompts.slice(first).map((prompt) => linesOf(prompt).messages)
  const isOnlyNew =
    prompts.length === grown.length &&
    grown.every(({ added }) =>
      prompts.some((messages) => messages.length === 1 && messages[0]?.text === added),
    )
  return {
    check: 'C11',
    what: `the same sent and picked up ${rounds} times: calls and memories more; then a message more in ${grown.length} conversations`,
    measured: `${again.calls} calls, ${again.memories} memories; ${prompts.length} calls, ${isOnlyNew ? 'each with' : 'NOT each with'} the new message alone`,
    bar: `0, 0; ${grown.length}, each with the new message alone`,
    is_met: again.calls === 0 && again.memories === 0 && isOnlyNew,
    is_promise: true,
  }
}

/** C14: a model that notes every line it is shown finds nothing of what programs have put into the conversation. */
export async function checkOwnNoise(pickUps: PickUps, count: number): Promise<CheckLine> {
  const { model } = pickUps
  const noise = readNoise()
  const of = (kind: string) => noise.filter((each) => each.kind === kind).map(({ line }) => line)
  const [boot, beats, section, chatter] = [of('boot'), of('heartbeat'), of('section'), of('chatter')]
  model.reset()
  model.answer = (prompt) =>
    answerOf(
      linesOf(prompt)
        .messages.flatMap(({ message, text }) =>
          text
            .split('\n')
            .map((line) => ({ message, quote: line.trim().slice(0, 300), title: line.trim().slice(0, 300) })),
        )
        .filter(({ quote }) => quote.length >= 8 && !chatter.includes(quote))
        .slice(0, 12),
    )
  const feed = await pickUps.open()
  const source = await feed.source('openclaw')
  let lines = 0
  for (let at = 0; at < count; at += 1) {
    const some = (list: readonly string[], size: number) =>
      Array.from({ length: size }, (_, n) => list[(at * 3 + n) % list.length] ?? '')
    const parts = [some(section, 1 + (at % 6)), some(boot, 1 + (at % 5)), some(beats, 1 + (at % 3))]
    lines += parts.flat().length
    const [sections = [], boots = [], beaten = []] = parts
    // Something that was really said, or nobody would ask the model at all.
    const talk = some(chatter, 2)
    await feed.say(source, `noise ${at}`, [
      talk[0] ?? '',
      at % 2 === 0 ? ownSection(sections, at) : `${talk[1]}\n\n${ownSection(sections, at)}\n`,
      `${talk[1]}\n\n${bootFile(boots, at)}`,
      ...beaten,
    ])
  }
  await pickUps.pickUp()
  const stored = await feed.memories()
  for (const { title } of stored.slice(0, 10)) console.error(`C14 stored: ${title}`)
  return {
    check: 'C14',
    what: `${count} conversations with ${lines} lines of our section, boot files and heartbeats, read by a model that notes all it sees: memories`,
    measured: `${stored.length} after ${model.calls.chat} calls`,
    bar: `0 after ${count}`,
    is_met: stored.length === 0 && model.calls.chat === count,
    is_promise: true,
  }
}
