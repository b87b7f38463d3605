import type { Prompt } from '@crewhall/testkit/stand-in-model.ts'
import { answerOf, linesOf, type PromptMessage, type Told } from '../pick-ups.ts'
import type { Fact, Noise } from './transcripts.ts'

/** Nobody says any of this. */
const madeUp = [
  'The team moves to Kubernetes next spring.',
  'The office in Porto closes at the end of the year.',
  'All services are written in Elixir by now.',
  'The customer asked for a dark theme on every page.',
  'Passwords are rotated by hand each Monday.',
  'The backup of the wiki has failed since summer.',
  'Latency of the gateway is measured in Tokyo.',
  'Everybody agreed to drop the mobile app.',
]

const squeezed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/**
 * A model that knows what is worth noting when it reads it, and invents three for each ten of these. It knows nothing but
 * the prompt: a fact that the filter has taken out is not noted, and noise that the filter has left in becomes a memory.
 */
export class ReadingModel {
  readonly #facts: readonly Fact[]
  readonly #noise: readonly string[]
  #owed = 0
  #turn = 0
  /** What it has invented, by way of inventing. */
  readonly invented: Record<string, number> = {}
  /** Lines of noise that it was shown. */
  readonly seen = new Set<string>()

  constructor(facts: readonly Fact[], noise: readonly Noise[]) {
    this.#facts = facts
    this.#noise = noise.filter(({ kind }) => kind !== 'chatter').map(({ line }) => squeezed(line))
  }

  readonly answer = (prompt: Prompt): unknown => {
    const messages = linesOf(prompt).messages.map((each) => ({ ...each, text: squeezed(each.text) }))
    const found = this.#facts.flatMap((fact) => told(fact, messages))
    const leaked = this.#noise.flatMap((line): Told[] => {
      const holding = messages.find(({ text }) => text.includes(line))
      if (!holding) return []
      this.seen.add(line)
      return [{ quote: line.slice(0, 300), title: line, message: holding.message }]
    })
    this.#owed += found.length * 0.3
    const inventions: Told[] = []
    for (; this.#owed >= 0.99; this.#owed -= 1) inventions.push(this.#invent(found, messages))
    // Between the others: nothing may depend on where an invention stands.
    return answerOf([...found.slice(0, 2), ...inventions, ...found.slice(2), ...leaked])
  }

  #invent(found: readonly Told[], messages: readonly PromptMessage[]): Told {
    this.#turn += 1
    const ways = [this.#elsewhere, this.#otherWord, this.#otherNumber, this.#madeUp]
    for (let n = 0; ; n += 1) {
      const way = ways[(this.#turn + n) % ways.length] ?? this.#madeUp
      const invention = way.call(this, found, messages)
      if (!invention) continue
      this.invented[invention.way] = (this.invented[invention.way] ?? 0) + 1
      return invention.told
    }
  }

  /** True in another conversation, where it was said. */
  #elsewhere(_: readonly Told[], messages: readonly PromptMessage[]) {
    const away = this.#facts.filter(({ said }) => !messages.some(({ text }) => text.includes(said)))
    const fact = away[(this.#turn * 17) % away.length]
    return fact && { way: 'said elsewhere', told: toldOf(fact, 0) }
  }

  /** A sentence that was said, but for one word. */
  #otherWord(found: readonly Told[]) {
    const one = found[this.#turn % found.length]
    if (!one) return undefined
    const word = one.quote.split(' ').toSorted((a, b) => b.length - a.length)[0] ?? ''
    const quote = one.quote.replace(word, `un${word.toLowerCase()}`)
    return { way: 'one word changed', told: { ...one, quote, title: `Not so: ${one.title}`, body: quote } }
  }

  /** The true sentence, noted with another figure. */
  #otherNumber(found: readonly Told[]) {
    const one = found.find(({ title, quote }) => /\d\d/.test(title) && /\d\d/.test(quote))
    if (!one) return undefined
    const title = one.title.replace(/\d[\d.,:]*\d/, (number) => `7${number}1`)
    return { way: 'number changed', told: { ...one, title, body: title } }
  }

  #madeUp() {
    const said = madeUp[this.#turn % madeUp.length] ?? ''
    return { way: 'made up', told: { quote: said, title: said } }
  }
}

const told = (fact: Fact, messages: readonly PromptMessage[]): Told[] => {
  const holding = messages.find(({ text }) => text.includes(fact.said))
  return holding ? [toldOf(fact, holding.message)] : []
}
const toldOf = ({ kind, said, title }: Fact, message: number): Told => ({
  quote: said.slice(0, 300),
  title,
  body: said,
  kind,
  message,
})
