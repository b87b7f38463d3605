import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { patientLimits } from './limits.ts'
import { programOf, root } from './programs.ts'

export { root }

export interface LogLine {
  readonly level: string
  readonly msg?: string
  readonly [key: string]: unknown
}

export interface ServerProcess {
  /** Base address of an API process; empty for a worker. */
  readonly url: string
  readonly pid: number
  readonly child: ChildProcess
  /** Every line written so far, as it was written. */
  readonly lines: readonly string[]
  logs(): LogLine[]
  /** Sends SIGTERM and waits for the end. Returns the exit code. */
  stop(): Promise<number | null>
  /** SIGKILL and wait for the end. */
  kill(): Promise<void>
  readonly ended: Promise<number | null>
}

interface StartOptions {
  /** File to run, from the root of the repository. */
  readonly entry: string
  readonly database_url: string
  readonly env?: Record<string, string>
  readonly args?: readonly string[]
  /** The sources and not their bundle. */
  readonly is_source?: boolean
  /** A network namespace to run in. */
  readonly namespace?: string
}

const isApi = (entry: string): boolean => entry.endsWith('api.ts')

const readyLimitMs = 150_000

/** Some hundred starts of the same sources: each but the first finds them compiled. */
export const compiled = { NODE_COMPILE_CACHE: resolve(root, 'node_modules/.cache/compile') }

/** Starts a process of the product as an operator would, and waits until it says that it is ready. */
export async function startProcess(options: StartOptions): Promise<ServerProcess> {
  const { entry, database_url, env = {}, is_source = false } = options
  const file = is_source ? resolve(root, entry) : programOf(entry)
  const [program = '', ...args] = [...within(options.namespace), process.execPath, file]
  const child = spawn(program, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...serverEnv(database_url), ...(isApi(entry) ? patientLimits : {}), ...env },
  })
  const lines: string[] = []
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const ready = new Promise<string>((done, fail) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        const facts = parseLine(line)
        if (facts?.msg === 'ready') done(addressOf(facts))
      })
    }
    ended.then((code) => {
      // One that is to die at a fault point may do so while its line is still in the buffer of the log.
      if (code === null && env.TEST_FAULT_POINTS) return done('')
      fail(new Error(`${entry} ended with ${code} before it was ready:\n${lines.join('\n')}`))
    })
  })
  // A process that neither gets ready nor ends would outlive the test that gave it up.
  const tooLate = setTimeout(() => child.kill('SIGKILL'), readyLimitMs)
  const url = await ready.finally(() => clearTimeout(tooLate))
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return {
    url,
    pid: child.pid ?? 0,
    child,
    lines,
    ended,
    logs: () => lines.flatMap((line) => parseLine(line) ?? []),
    stop: () => end('SIGTERM'),
    kill: async () => {
      await end('SIGKILL')
    },
  }
}

/** What runs a program in a network of its own. */
export const within = (namespace: string | undefined): string[] =>
  namespace === undefined ? [] : ['ip', 'netns', 'exec', namespace]

/** The last warnings and errors that a process has logged, for the output of a test that failed. */
export const complaintsOf = (process: ServerProcess | undefined): string[] =>
  (process?.lines ?? []).filter((line) => /^\{"level":"(warn|error|fatal)"/.test(line)).slice(-10)

export interface Ended {
  readonly code: number | null
  readonly output: string
}

/** Runs a process of the product to its end. */
export async function endOfProcess({
  entry,
  database_url,
  env = {},
  args = [],
  is_source = false,
}: StartOptions): Promise<Ended> {
  const file = is_source ? resolve(root, entry) : programOf(entry)
  const child = spawn(process.execPath, [file, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...serverEnv(database_url), ...(isApi(entry) ? patientLimits : {}), ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}

/** The same for one that has to end well, for example a migration. */
export async function runProcess(options: StartOptions): Promise<void> {
  const { code, output } = await endOfProcess(options)
  if (code !== 0) throw new Error(`${options.entry} ended with ${code}:\n${output}`)
}

/** Nothing of the caller's environment but the path: a test must not depend on who runs it. */
function serverEnv(databaseUrl: string): Record<string, string> {
  const { redis, s3, mail } = readServiceFacts()
  return {
    PATH: process.env.PATH ?? '',
    ...compiled,
    ...waysTo(databaseUrl),
    SIGNING_KEY: 'a-signing-key-for-tests-0123456789',
    REDIS_URL: redis.url,
    REDIS_PREFIX: `${new URL(databaseUrl).pathname.slice(1)}:`,
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_BUCKET: s3.bucket,
    // A sweep of one test must not find what another one has stored.
    S3_PREFIX: `${new URL(databaseUrl).pathname.slice(1)}/`,
    S3_ACCESS_KEY_ID: s3.access_key_id,
    S3_SECRET_ACCESS_KEY: s3.secret_access_key,
    SMTP_URL: mail.smtp_url,
    MAIL_DOMAIN: mail.domain,
    MAIL_FROM: `Crewhall <no-reply@${mail.domain}>`,
    HTTP_PORT: '0',
    METRICS_PORT: '0',
    HTTP_RATE_LIMIT_PER_MINUTE: '0',
    HTTP_RATE_LIMIT_PER_CREDENTIAL: '0',
    HTTP_CHECK_ANSWERS: 'true',
    // Whoever wants vectors says so: the built-in model takes a second and much memory in each process.
    EMBEDDINGS: 'off',
  }
}

/** Past the pooler and through it, where there is one before the PostgreSQL of all tests. */
function waysTo(databaseUrl: string): Record<string, string> {
  const { host, port, pooler_port } = readServiceFacts().postgres
  const url = new URL(databaseUrl)
  if (pooler_port === undefined || url.host !== `${host}:${port}`) return { DATABASE_URL: databaseUrl }
  url.port = String(pooler_port)
  return { DATABASE_URL: url.href, DATABASE_DIRECT_URL: databaseUrl }
}

function parseLine(line: string): LogLine | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as LogLine
  } catch {
    return undefined
  }
}

function addressOf({ addresses }: LogLine): string {
  const [first] = (addresses ?? []) as { port: number }[]
  return first ? `http://127.0.0.1:${first.port}` : ''
}
