import { readdirSync, readFileSync } from 'node:fs'
import { seededRandom } from '@crewhall/testkit/seeded-random.ts'
import { type CheckLine, ms } from './check-line.ts'
import { atOnce } from './memory-host.ts'
import { answerOf, linesOf, type PickUps } from './pick-ups.ts'
import { readFacts, readNoise } from './transcripts/transcripts.ts'

export interface LoadSizes {
  readonly conversations: number
  readonly messages: number
}
const agents = Array.from({ length: 5 }, (_, at) => `loaded-${at}`)
const factsOfEach = 2
const modelMs = 200

/** C29: what one worker gets through, and what it takes for that. */
export async function checkLoad(
  pickUps: PickUps,
  { conversations, messages }: LoadSizes,
  isJudged: boolean,
): Promise<CheckLine[]> {
  const { model, host } = pickUps
  model.reset()
  model.delay_ms = modelMs
  model.answer = (prompt) =>
    answerOf(
      linesOf(prompt).messages.flatMap(({ message, text }) =>
        / at depot \d+\.$/.test(text) ? [{ message, quote: text.slice(-60), title: text.slice(0, 300) }] : [],
      ),
    )
  const feed = await pickUps.open(agents)
  const sources = await Promise.all(agents.map((agent) => feed.source('claude_code', agent)))
  const told = Array.from({ length: conversations }, (_, at) => at)
  await atOnce(4, told, async (at) => {
    await feed.say(sources[at % sources.length] ?? '', `load ${at}`, talkOf(at, messages))
  })
  // A worker that has done nothing before, so that its memory is what this took.
  await pickUps.stopWorkers()
  const worker = await pickUps.onlyWorker()
  const began = performance.now()
  await pickUps.pickUp()
  const seconds = (performance.now() - began) / 1000
  const { done = 0 } = await feed.states()
  const peak = peakRssMb(worker.pid)
  const cpu = cpuSeconds(worker.pid)
  await pickUps.stopWorkers()
  const left = processesOf(host.database.name).filter((pid) => pid !== pickUps.api.pid)
  const stored = (await feed.memories()).length
  const what = `${conversations} conversations of ${messages} messages, one worker, a model that takes ${modelMs} ms`
  return [
    {
      check: 'C29',
      what: `${what}: read, memories, time, processor time of the worker`,
      measured: `${done}, ${stored}, ${seconds.toFixed(0)} s (${ms((seconds * 1000) / conversations)} ms each), ${cpu.toFixed(0)} s of processor`,
      bar: `${conversations}, ${conversations * factsOfEach}, 300 s`,
      is_met:
        done === conversations && stored === conversations * factsOfEach && (!isJudged || seconds <= 300),
    },
    {
      check: 'C29',
      what: 'most memory of that worker; processes left behind after it was stopped',
      measured: `${peak.toFixed(0)} MB; ${left.length}`,
      bar: '600 MB; 0',
      is_met: peak <= 600 && left.length === 0,
      is_promise: true,
    },
  ]
}

/** Facts that nobody else says, among what people say all day. */
function talkOf(at: number, messages: number): string[] {
  const random = seededRandom(at + 1)
  const facts = readFacts()
  const chatter = readNoise().filter(({ kind }) => kind === 'chatter')
  const pick = <Item>(list: readonly Item[]) => list[Math.floor(random() * list.length)]
  const texts = Array.from({ length: messages }, () =>
    [pick(chatter)?.line, pick(chatter)?.line, pick(chatter)?.line].join(' '),
  )
  for (let n = 0; n < factsOfEach; n += 1) {
    const said = facts[(at * factsOfEach + n) % facts.length]?.said ?? ''
    texts[Math.floor(((n + 0.5) * messages) / factsOfEach)] =
      `${said.replace(/\.$/, '')} at depot ${1000 + at * factsOfEach + n}.`
  }
  return texts
}

/** In hundredths, as Linux counts them, after the name in brackets. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const peakRssMb = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Of any user's processes that can be looked at, those that were started for this database. */
function processesOf(database: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(database)
      } catch {
        // It has ended, or is somebody else's.
        return false
      }
    })
    .map(Number)
}
