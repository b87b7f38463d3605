import { cutSecrets } from './cut-secrets.rules.ts'

type Level = 'info' | 'warn' | 'error'
type Facts = Readonly<Record<string, unknown>>
export type Log = Readonly<Record<Level, (msg: string, facts?: Facts) => void>>

/** One line of JSON for each event, with secrets cut out. */
export function createLog(write: (line: string) => void): Log {
  const at =
    (level: Level) =>
    (msg: string, facts: Facts = {}) =>
      write(cutSecrets(JSON.stringify({ level, time: new Date().toISOString(), msg, ...plain(facts) })))
  return { info: at('info'), warn: at('warn'), error: at('error') }
}

/** Of an error its words: the rest may hold a request with its headers. */
const plain = (facts: Facts): Facts =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, value instanceof Error ? wordsOf(value) : value]),
  )

/** With the words of what caused it. */
export function wordsOf(error: Error): string {
  const { cause } = error
  return cause instanceof Error ? `${error.message}: ${wordsOf(cause)}` : error.message
}
