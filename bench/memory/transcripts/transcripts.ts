import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom, shuffled } from '@crewhall/testkit/seeded-random.ts'
import { claudeCodeFile } from './claude-code-file.ts'
import { openclawFile } from './openclaw-file.ts'
import { type SourceForm, sourceTypes, type Turn } from './turns.ts'

/** A sentence that somebody says, and what a good model notes of it. */
export interface Fact {
  readonly kind: string
  readonly said: string
  readonly title: string
}
const noiseKinds = ['chatter', 'boot', 'heartbeat', 'dump', 'section', 'wrapper', 'hidden'] as const
export type NoiseKind = (typeof noiseKinds)[number]
export interface Noise {
  readonly kind: NoiseKind
  readonly line: string
}
export interface TranscriptCase {
  readonly name: string
  readonly form: SourceForm
  readonly facts: readonly Fact[]
  readonly noise: readonly Noise[]
  /** Bodies for the route that takes conversations: as it was at first, and one message later. */
  readonly sent: object
  readonly later: object
  /** What the message that comes later says. */
  readonly added: string
}

export const readFacts = (): Fact[] =>
  rowsOf('facts.tsv').map(([kind = '', said = '', title = '']) => ({ kind, said, title }))
export const readNoise = (): Noise[] =>
  rowsOf('noise.tsv').map(([kind, line = '']) => ({ kind: kind as NoiseKind, line }))

const rowsOf = (name: string): string[][] =>
  readFileSync(join(import.meta.dirname, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))

export const factsOfEach = 4
export const noiseOfEach = 10

/** How a sentence stands in a message: alone, with something before it, after it, or around it. */
const settings: readonly ((said: string) => string)[] = [
  (said) => said,
  (said) => `Before I forget: ${said}`,
  (said) => `${said} Can you keep that in mind?`,
  (said) => `Thanks, that works. ${said} Now to the other thing.`,
  (said) => `Two things.\n\n1. ${said}\n2. The rest can wait until tomorrow.`,
  (said) => `> and what about this one?\n\n${said}`,
  (said) => `I looked into it for a while. ${said}`,
  (said) => `${wrapped(said)}\n\nThat is all I know about it.`,
  (said) => `Short answer: no. Long answer: ${said}`,
  (said) => `Here is what I changed:\n\n\`\`\`sh\nmake check\n\`\`\`\n\n${said}`,
]
/** Lines as mail programs break them: a quote may leave the breaks out. */
const wrapped = (text: string): string => text.replaceAll(/(.{30,45}?) /g, '$1\n')

/** What else stands in it: kinds of noise, three lines of chatter not counted. */
const layouts: readonly Readonly<Partial<Record<NoiseKind, number>>>[] = [
  { dump: 4, heartbeat: 1, boot: 2 },
  { boot: 3, section: 2, wrapper: 2 },
  { dump: 2, heartbeat: 2, section: 2, hidden: 1 },
  { dump: 4, wrapper: 2, hidden: 1 },
  { section: 3, boot: 2, heartbeat: 1, hidden: 1 },
]

/** As many as are wanted, of each source form the same number. Facts and noise differ from one to the next. */
export function transcripts(count: number): TranscriptCase[] {
  const random = seededRandom(13)
  const facts = shuffled(readFacts(), random)
  const lines = readNoise()
  return Array.from({ length: count }, (_, at) => {
    const own = facts.slice(at * factsOfEach, (at + 1) * factsOfEach)
    const layout = { chatter: 3, ...layouts[at % layouts.length] }
    const noise = noiseKinds.flatMap((kind) =>
      shuffled(
        lines.filter((each) => each.kind === kind),
        random,
      ).slice(0, layout[kind] ?? 0),
    )
    return transcriptCase(at, own, noise, random)
  })
}

function transcriptCase(
  at: number,
  facts: readonly Fact[],
  noise: readonly Noise[],
  random: () => number,
): TranscriptCase {
  const form = sourceTypes[at % sourceTypes.length] ?? 'messages'
  const said = facts.map(({ said }, n): Turn => {
    const setting = settings[(at + n * 3) % settings.length] ?? settings[0]
    return { by: (at + n) % 3 === 0 ? 'agent' : 'person', text: setting?.(said) ?? said }
  })
  const turns = shuffled([...said, ...noiseTurns(noise, at)], random)
  const added = `One more for case ${at}: the build of tonight is the one that we ship.`
  const name = `case-${at}`
  return { name, form, facts, noise, added, ...writtenAs(form, at, name, turns, added) }
}

function writtenAs(form: SourceForm, at: number, name: string, turns: readonly Turn[], added: string) {
  const last: Turn = { by: 'person', text: added }
  if (form === 'messages') {
    const body = (messages: readonly Turn[], first_seq: number) => ({
      format: 'messages',
      conversation_id: name,
      first_seq,
      messages: messages.map(messageOf),
    })
    return { sent: body(turns, 0), later: body([last], turns.length) }
  }
  const write = form === 'claude_code' ? claudeCodeFile : openclawFile
  const before = write(at, turns)
  const after = write(at, [...turns, last])
  // The program was writing when the file was read: its last line is half there.
  const half = at % 2 === 0 ? `\n${after.at(-1)?.slice(0, 60)}` : '\n'
  return {
    sent: { format: 'native', native: `${before.join('\n')}${half}` },
    later: { format: 'native', native: `${after.join('\n')}\n` },
  }
}

const messageOf = (turn: Turn) => {
  if (turn.by === 'tool') return { role: 'tool', text: `${turn.name}: ${turn.output}` }
  return { role: turn.by === 'nobody' ? 'system' : turn.by, text: turn.text }
}

/** Noise as it really comes: boot files under their names, sections between markers, dumps pasted or from tools. */
function noiseTurns(noise: readonly Noise[], at: number): Turn[] {
  const of = (kind: NoiseKind) => noise.filter((each) => each.kind === kind).map(({ line }) => line)
  const turns: Turn[] = of('chatter').map((text, n) => ({ by: n % 2 === 0 ? 'agent' : 'person', text }))
  const [boot, beats, dump, section, wrapper] = [
    of('boot'),
    of('heartbeat'),
    of('dump'),
    of('section'),
    of('wrapper'),
  ]
  if (boot.length > 0) turns.push({ by: 'person', text: bootFile(boot, at) })
  for (const [n, text] of beats.entries()) turns.push({ by: n % 2 === 0 ? 'person' : 'agent', text })
  if (dump.length >= 4) turns.push({ by: 'person', text: `${dump.join('\n')}\n` })
  else if (dump.length > 0) turns.push({ by: 'tool', name: 'exec', output: dump.join('\n') })
  if (section.length > 0) turns.push({ by: at % 2 === 0 ? 'person' : 'agent', text: ownSection(section, at) })
  for (const line of wrapper)
    turns.push({ by: 'person', text: `<system-reminder>\n${line}\n</system-reminder>` })
  for (const text of of('hidden')) turns.push({ by: 'nobody', text })
  return turns
}

export function bootFile(lines: readonly string[], at: number): string {
  const text = lines.join('\n')
  const forms = [
    `# AGENTS.md\n\n${text}`,
    `Contents of /home/dev/harbor/CLAUDE.md (project instructions):\n\n${text}`,
    `## Project Context\n\n${text}`,
    `\`\`\`SOUL.md\n${text}\n\`\`\``,
    `<INSTRUCTIONS>\n${text}\n</INSTRUCTIONS>`,
  ]
  return forms[at % forms.length] ?? text
}

export function ownSection(lines: readonly string[], at: number): string {
  const nonce = (at + 1).toString(16).padStart(16, '0')
  const items = lines.map((line, n) => `- [m:${(at * 7 + n + 10).toString(16)}.0a1b2c] ${line}`)
  return [`<!-- crewhall:memory begin ${nonce} -->`, ...items, `<!-- crewhall:memory end ${nonce} -->`].join(
    '\n',
  )
}
