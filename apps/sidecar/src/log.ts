import { cutSecrets } from './cut-secrets.rules.ts'

type Level = 'info' | 'warn' | 'error'
export interface Log {
  info(msg: string, facts?: Facts): void
  warn(msg: string, facts?: Facts): void
  error(msg: string, facts?: Facts): void
  /** The last lines, oldest first, as they were written. */
  recent(): readonly string[]
}
type Facts = Readonly<Record<string, unknown>>

const mostRecent = 500
const longestLine = 2000

/** One line of JSON for each event, with secrets cut out, also kept for whoever asks what happened here. */
export function createLog(write: (line: string) => void): Log {
  const kept: string[] = []
  const at =
    (level: Level) =>
    (msg: string, facts: Facts = {}) => {
      const line = cutSecrets(JSON.stringify({ level, time: new Date().toISOString(), msg, ...plain(facts) }))
      kept.push(line.slice(0, longestLine))
      if (kept.length > mostRecent) kept.shift()
      write(line)
    }
  return { info: at('info'), warn: at('warn'), error: at('error'), recent: () => [...kept] }
}

/** Of an error its words: the rest may hold a request with its headers. */
const plain = (facts: Facts): Facts =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, value instanceof Error ? wordsOf(value) : value]),
  )

function wordsOf(error: Error): string {
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${wordsOf(cause)}` : error.message
}
