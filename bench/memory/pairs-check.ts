import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@crewhall/testkit/server-process.ts'
import type { CheckLine } from './check-line.ts'
import { atOnce } from './memory-host.ts'
import { answerOf, type Feed, linesOf, type PickUps, type Told } from './pick-ups.ts'

interface Pair {
  readonly label: 'same' | 'distinct'
  readonly kind: string
  readonly one: string
  readonly other: string
}
const pairsIn = (path: string): Pair[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [label, kind = '', one = '', other = ''] = line.split('\t')
      return { label: label === 'same' ? 'same' : 'distinct', kind, one, other }
    })

/** The rules were written with these in view, all 200 of them; nothing was changed after the fresh ones were written. */
const known = () => pairsIn(join(root, 'apps/server/src/modules/memory/automation/likeness-pairs.tsv'))
const fresh = () => pairsIn(join(import.meta.dirname, 'pairs/fresh-pairs.tsv'))

const ofConversation = 10

/** C19: what says the same becomes evidence, and what differs in a number, a name, a date or a "not" never does. */
export async function checkPairs(pickUps: PickUps, limit: number): Promise<CheckLine[]> {
  const some = (pairs: readonly Pair[], count: number) => {
    const step = Math.max(1, Math.floor(pairs.length / count))
    return pairs.filter((_, at) => at % step === 0)
  }
  const sets = [
    { name: 'pairs that the rules were written with', pairs: some(known(), limit) },
    { name: 'fresh pairs', pairs: some(fresh(), limit) },
  ]
  const all = sets.flatMap(({ pairs }) => pairs)
  const byRules = await told(pickUps, all, () => ({ decision: 'new' }))
  const judge = new Map(all.map((pair) => [pair.other, pair]))
  // Of distinct ones it says that they are new, as the model of the rules does.
  const alike = all.filter(({ label }) => label === 'same')
  const byJudge = await told(pickUps, alike, (text, notes) => {
    const one = judge.get(text)?.one
    const existing = notes.find(({ text }) => text.split('\n')[0] === one)?.note
    return existing === undefined ? { decision: 'new' } : { decision: 'same', existing }
  })
  const saidAlike = new Set(alike.flatMap(({ one, other }) => [bare(one), bare(other)]))
  return sets.map(({ name, pairs }, at) => {
    const of = (label: string) => pairs.filter((pair) => pair.label === label)
    const merged = (label: string, stored: ReadonlySet<string>) =>
      of(label).filter(({ one, other }) => one !== other && !stored.has(other))
    // All of them are said to one agent: what another pair calls the same is rightly not stored twice.
    const wrong = merged('distinct', byRules).filter(({ other }) => !saidAlike.has(bare(other)))
    for (const { one, other } of wrong) console.error(`C19 lost: ${other} beside ${one}`)
    const share = (stored: ReadonlySet<string>) => merged('same', stored).length / of('same').length
    for (const { one, other } of of('same').filter(({ other }) => byJudge.has(other)))
      console.error(`C19 stored twice: ${other} beside ${one}`)
    const [alone, judged] = [share(byRules), share(byJudge)]
    return {
      check: 'C19',
      what: `${pairs.length} ${name}, half of them distinct, as conversations: distinct ones not stored; same ones found by text and vector, and with a judge`,
      measured: `${wrong.length}; ${alone.toFixed(2)} and ${judged.toFixed(2)}`,
      bar: '0; 0.60 and 0.90',
      // A share of a few says nothing; of the twenty fresh ones, neither does it with the whole set.
      ...(at > 0 && wrong.length === 0
        ? { informational: 'twenty are too few to judge a share by; nothing distinct was lost' }
        : { is_met: wrong.length === 0 && (limit < 200 || (alone >= 0.6 && judged >= 0.9)) }),
      is_promise: at === 0,
    }
  })
}

const bare = (text: string): string => text.replace(/\.$/, '')

type Decide = (
  text: string,
  notes: readonly { readonly note: number; readonly text: string }[],
) => Pick<Told, 'decision' | 'existing'>

/** One text of each pair first, then the other one. Returns what is stored in the end. */
async function told(pickUps: PickUps, pairs: readonly Pair[], decide: Decide): Promise<Set<string>> {
  const { model } = pickUps
  const feed = await pickUps.open()
  const source = await feed.source()
  const note = (more: Decide) => {
    model.answer = (prompt) => {
      const { messages, notes } = linesOf(prompt)
      return answerOf(
        messages.map(({ message, text }) => ({
          message,
          quote: text,
          title: text,
          body: text,
          ...more(text, notes),
        })),
      )
    }
  }
  model.reset()
  note(() => ({ decision: 'new' }))
  await sayAll(
    feed,
    source,
    'one',
    pairs.map(({ one }) => one),
  )
  await pickUps.pickUp()
  await feed.host.vectorsMade(feed.workspace)
  note(decide)
  await sayAll(
    feed,
    source,
    'other',
    pairs.map(({ other }) => other),
  )
  await pickUps.pickUp()
  return new Set((await feed.memories()).map(({ body }) => body))
}

async function sayAll(feed: Feed, source: string, name: string, texts: readonly string[]): Promise<void> {
  const parts = Array.from({ length: Math.ceil(texts.length / ofConversation) }, (_, at) =>
    texts.slice(at * ofConversation, (at + 1) * ofConversation),
  )
  await atOnce(4, parts, async (part, at) => {
    await feed.say(source, `${name} ${at}`, part)
  })
}
