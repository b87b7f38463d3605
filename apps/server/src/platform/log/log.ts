import pino, { type DestinationStream, type Logger } from 'pino'

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
 * Tokens and credentials in URLs, wherever in the line they stand: the last look before the bytes leave,
 * so it also catches what a library put into an error message.
 */
const secretShaped = /chp_[0-9A-Za-z]{6,}|(?<=Bearer )[^\s"\\]+|(?<=:\/\/[^\s"/:@]*:)[^\s"/@]+(?=@)/g

export function createLog(options: LogOptions): Logger {
  return pino(
    {
      level: options.level,
      base: { process: options.process_name, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ['*.password', '*.token', '*.secret', '*.authorization', '*.cookie'],
        censor: '[redacted]',
      },
      serializers: { error: errorFacts, err: errorFacts },
      hooks: { streamWrite: (line) => line.replace(secretShaped, '[redacted]') },
    },
    // Buffered: a line per request must not cost a system call per request.
    options.destination ?? pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 500 }),
  )
}

/** What we tell about an error: never the parameters of a statement, which drivers like to attach. */
function errorFacts(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack } = error
  const code = 'code' in error ? error.code : undefined
  const cause = error.cause === undefined ? undefined : errorFacts(error.cause)
  return {
    name,
    message,
    stack,
    ...(code === undefined ? {} : { code }),
    ...(cause === undefined ? {} : { cause }),
  }
}
