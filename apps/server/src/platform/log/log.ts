import pino, { type DestinationStream, type Logger } from 'pino'
import { createLogTime } from '#platform/clock/clock.ts'

type Write = (facts: object, message?: string) => void

/** What the code logs to; pino and Fastify's request logs both fit. */
export interface Log {
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
  readonly fatal: Write
  child(facts: Record<string, unknown>): Log
}

export interface LogOptions {
  readonly level: string
  readonly process_name: string
  readonly destination?: DestinationStream
}

/**
 * Redacts tokens, credentials in URLs and fields with secret names anywhere in a line. It runs right before output, so it
 * also catches what a library put into an error message. No look-behinds: they make it ten times slower.
 */
const secretShaped =
  /chp_[0-9A-Za-z]{6,}|whsec_[0-9A-Za-z+/=]{6,}|("[\w-]*(?:password|token|secret|authorization|cookie)":")(?:[^"\\]|\\.)+|(Bearer )[^\s"\\]+|(:\/\/[^\s"/:@]*:)[^\s"/@]+(?=@)|([?&][\w-]*(?:password|token|secret)=)[^\s"&\\]+/g

const redact = (_: string, ...kept: (string | undefined)[]): string =>
  `${kept.slice(0, 4).find((part) => part !== undefined) ?? ''}[redacted]`

const withoutSecrets = (text: string): string => text.replace(secretShaped, redact)

export function createLog(options: LogOptions): Logger {
  const time = createLogTime()
  return pino(
    {
      level: options.level,
      base: { process: options.process_name, pid: process.pid },
      timestamp: () => `,"time":"${time()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: (error) => errorFacts(error), err: (error) => errorFacts(error) },
      hooks: { streamWrite: withoutSecrets },
    },
    // Buffered: a line per request must not cost a system call per request.
    options.destination ?? pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 500 }),
  )
}

export interface RequestFacts {
  readonly request_id: string
  readonly route: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
  /** The plain route that it was called from, if it did not come over the wire. */
  readonly inside?: string
}

/**
 * Writes the line that every request ends with, as pino would: its general way costs several times as much. Of these
 * facts only the path and the id come from outside, so only they are searched for secrets.
 */
export function requestLines(log: Logger): (facts: RequestFacts) => void {
  const stream = (log as unknown as Record<symbol, DestinationStream>)[pino.symbols.streamSym]
  const time = createLogTime()
  // What pino tells of its bindings leaves the process id out.
  const bindings = JSON.stringify({ ...log.bindings(), pid: process.pid }).slice(1, -1)
  return ({ request_id, route, method, path, status, ms, inside }) => {
    if (!log.isLevelEnabled('info')) return
    const given = withoutSecrets(`"request_id":"${request_id}","path":${JSON.stringify(path)}`)
    stream?.write(
      `{"level":"info","time":"${time()}",${bindings},${given},"route":"${route}","method":"${method}","status":${status},"ms":${ms}${inside === undefined ? '' : `,"inside":"${inside}"`}}\n`,
    )
  }
}

/**
 * Writes what is still buffered, or finds out that nobody reads it any more. What is left for the end of the process is
 * written synchronously by the library, which tries a broken pipe again forever. Only a write of something finds a
 * broken pipe, hence the last line. The first flush can end with a write that began before it; the second cannot.
 */
export async function flushed(log: Logger): Promise<void> {
  log.info('stopped')
  await flush(log)
  await flush(log)
}
const flush = (log: Logger): Promise<void> => new Promise((done) => log.flush(() => done()))

/** A chain of causes that is longer than this goes in a circle. */
const maxCauses = 5

/** What we log of an error: never the parameters of a statement, which drivers like to attach. */
function errorFacts(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack } = error
  const code = 'code' in error ? error.code : undefined
  const told = withoutValues(message, code)
  const isLast = error.cause === undefined || depth === maxCauses
  return {
    name,
    message: told,
    stack: stack?.replace(message, () => told),
    ...(code === undefined ? {} : { code }),
    ...(isLast ? {} : { cause: errorFacts(error.cause, depth + 1) }),
  }
}

/** SQLSTATE class 22 is about data, and Postgres quotes the data in its message. */
const withoutValues = (message: string, code: unknown): string =>
  typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code)
    ? message.replace(/".*"/s, '"[redacted]"')
    : message
