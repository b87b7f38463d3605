import { z } from 'zod'
import { isNetwork } from '#platform/outbound/addresses.ts'

const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false'])
    .default(fallback ? 'true' : 'false')
    .transform((value) => value === 'true')
const whole = (fallback: number, min = 0) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .default(String(fallback))
    .transform(Number)
    .refine((n) => n >= min, `must be at least ${min}`)
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  )
const url = (...schemes: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1)),
      `must be a URL (${schemes.join(', ')})`,
    )

const signingKey = /^[^\s,]{32,}$/
const signingKeyRule = 'must be at least 32 characters long, without spaces and commas'
/** Everybody can read this one, so it protects nothing. */
const developmentKey = 'development-only:everybody-knows-this-signing-key'

/** Every setting there is: its type, its default and what it does. `.env.example` and the docs come from here. */
export const configSchema = z.object({
  ENVIRONMENT: z
    .enum(['production', 'staging', 'development'])
    .default('development')
    .describe(
      'What `GET /api/v1/system/info` tells; production refuses test settings, an http PUBLIC_URL and a database role that row-level security does not hold for',
    ),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Least level that is logged'),
  HTTP_HOST: z.string().default('127.0.0.1').describe('Address the API listens on'),
  HTTP_PORT: whole(8400).describe('Port the API listens on'),
  HTTP_TRUST_PROXY: list.describe(
    'Proxies whose X-Forwarded-For is believed: addresses or networks, separated by commas',
  ),
  HTTP_BODY_LIMIT_BYTES: whole(1_048_576, 1024).describe(
    'Largest JSON body; uploads have the limits of their routes',
  ),
  HTTP_DEADLINE_MS: whole(5500, 100).describe('A request that takes longer is answered with 503'),
  HTTP_REQUEST_TIMEOUT_MS: whole(30_000, 100).describe(
    'A request whose headers and body have not arrived by then is answered with 408, and its connection is closed',
  ),
  HTTP_STALL_TIMEOUT_MS: whole(40_000, 100).describe(
    'A connection on which nothing has moved for so long is closed, such as that of a reader who stopped reading. Longer than the slowest route (30 seconds)',
  ),
  HTTP_MAX_SOCKETS: whole(10_000, 1).describe('Connections that one process keeps open; more are closed'),
  HTTP_MAX_SOCKETS_PER_NETWORK: whole(1500).describe(
    'Of these, how many of one client network (an IPv4 address, or an IPv6 /64); 0 for no limit. Those of HTTP_TRUST_PROXY are not counted',
  ),
  HTTP_MAX_OPEN_PER_NETWORK: whole(128).describe(
    'Requests of one client network that are on their way or being answered, in one process; more are answered with 429. 0 for no limit. Event streams are not counted',
  ),
  HTTP_MAX_IN_FLIGHT: whole(256, 1).describe(
    'Requests answered at a time; more are told to come back with 503',
  ),
  HTTP_MAX_EVENT_LOOP_DELAY_MS: whole(1000, 10).describe(
    'Beyond this delay of the process, requests are told to come back with 503',
  ),
  HTTP_RATE_LIMIT_PER_MINUTE: whole(6000).describe(
    'Requests per minute and address before 429; 0 for no limit. Health is exempt',
  ),
  HTTP_RATE_LIMIT_PER_CREDENTIAL: whole(3000).describe(
    'Requests per minute and token or session before 429, counted by each API process; 0 for no limit',
  ),
  HTTP_MAX_STREAMS: whole(1000, 1).describe(
    'Event streams that one process keeps open; more are told to come back with 503',
  ),
  HTTP_MAX_STREAMS_PER_WORKSPACE: whole(200, 1).describe(
    'Of these, how many of one workspace; more are answered with 429',
  ),
  HTTP_MAX_STREAMS_PER_CALLER: whole(20, 1).describe(
    'Of these, how many of one token or session; more are answered with 429',
  ),
  HTTP_DRAIN_MS: whole(10_000).describe(
    'How long requests in flight may take to finish when the process is told to stop',
  ),
  HTTP_CHECK_ANSWERS: flag(false).describe(
    'Check every answer against its contract; meant for tests and development',
  ),
  PUBLIC_URL: url('http', 'https')
    .default('http://127.0.0.1:8400')
    .describe(
      'Address under which people reach the service; links in mails start with it. With https, cookies are Secure; production takes only https',
    ),
  SESSION_COOKIE_NAME: z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .default('crewhall_session')
    .describe('Name of the session cookie; with https it gets the prefix `__Host-`'),
  ADMIN_KEY_DIGESTS: list
    .refine(
      (digests) => digests.every((digest) => /^[0-9a-f]{64}$/i.test(digest)),
      'must be SHA-256 digests of 64 hexadecimal digits, separated by commas; `printf %s "$KEY" | sha256sum` prints one',
    )
    .describe(
      'SHA-256 digests (hex) of the keys that X-Admin-Key may hold, separated by commas; several while one is being replaced',
    ),
  SIGNING_KEY: z
    .string()
    .regex(signingKey, signingKeyRule)
    .optional()
    .describe(
      'Signs cursors that callers hand back and seals the secrets of webhooks; the same in all processes. Only development runs without one. `openssl rand -base64 32` makes one; docs/signing-keys.md tells how to replace it',
    ),
  SIGNING_KEYS_ACCEPTED: list
    .refine((keys) => keys.every((key) => signingKey.test(key)), signingKeyRule)
    .describe(
      'Further keys that are still, or already, accepted while SIGNING_KEY is being replaced, separated by commas',
    ),
  SIGN_UP: z
    .enum(['open', 'invite', 'off'])
    .default('open')
    .describe(
      'Who may make an account: `open` everybody, `invite` only who was invited to a workspace, `off` nobody',
    ),
  SIGN_UP_MAIL_DOMAINS: list.describe(
    'Mail domains that may sign up by themselves, separated by commas; none for all. Invitations go to any',
  ),
  AUTH_TRIES_PER_ADDRESS: whole(300, 1).describe(
    'Failed sign-ins, sign-ups, reset requests and made-up reset links per address in 15 minutes',
  ),
  AUTH_TRIES_PER_EMAIL: whole(100, 10).describe(
    'Failed sign-ins per account in 15 minutes from all addresses together; of these at most 10 from one address',
  ),
  METRICS_HOST: z.string().default('127.0.0.1').describe('Address of the metrics endpoint; keep it inside'),
  METRICS_PORT: whole(9400).describe(
    'Port of `/metrics` of the API; the worker uses the next one. 0 switches both off',
  ),
  DATABASE_URL: url('postgres', 'postgresql').describe('PostgreSQL 17 with the extension vector'),
  DATABASE_OWNER_URL: url('postgres', 'postgresql')
    .optional()
    .describe(
      'The same database as its owner, for migrations only. Without it DATABASE_URL migrates too; with it the product runs as a role that owns nothing',
    ),
  DATABASE_POOL_SIZE: whole(10, 1).describe('Connections of one process'),
  DATABASE_CONNECT_TIMEOUT_MS: whole(2000, 50).describe('How long a request waits for a connection'),
  DATABASE_STATEMENT_TIMEOUT_MS: whole(5000, 50).describe('Longest statement'),
  DATABASE_LOCK_TIMEOUT_MS: whole(2000, 50).describe(
    'How long a request waits for a row that another one is changing',
  ),
  DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: whole(10_000, 100).describe('Longest pause inside a transaction'),
  REDIS_URL: url('redis', 'rediss').describe('Redis 7; holds nothing that cannot be made again'),
  REDIS_PREFIX: z.string().default('crewhall:').describe('Put before every key'),
  REDIS_TIMEOUT_MS: whole(1000, 10).describe('Longest wait for an answer of Redis'),
  S3_ENDPOINT: url('http', 'https')
    .optional()
    .describe('S3 API for pictures and files; without it uploads answer 503'),
  S3_REGION: z.string().default('us-east-1').describe('Region of the bucket'),
  S3_BUCKET: z.string().default('crewhall').describe('Bucket'),
  S3_PREFIX: z
    .string()
    .regex(/^([A-Za-z0-9_.-]+\/)*$/, 'must be empty or end with a slash')
    .default('')
    .describe('Put before every key; installations that share a bucket need one of their own each'),
  S3_ACCESS_KEY_ID: z.string().optional().describe('Access key'),
  S3_SECRET_ACCESS_KEY: z.string().optional().describe('Secret key'),
  S3_TIMEOUT_MS: whole(5000, 50).describe('Longest wait for the storage'),
  SMTP_URL: url('smtp', 'smtps').optional().describe('Where mail goes out; without it nothing is sent'),
  MAIL_FROM: z.string().default('Crewhall <no-reply@localhost>').describe('Sender of our mail'),
  MAIL_DOMAIN: z
    .string()
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a domain in lower case')
    .default('localhost')
    .describe('Domain of the mail addresses that people have here'),
  MAIL_RESERVED_NAMES: list.describe(
    'Names of the mail domain that nobody may have, besides postmaster, abuse and other role names',
  ),
  SERVICE_NAME: z.string().min(1).default('Crewhall').describe('What the service calls itself to its users'),
  LETTERS_PER_WORKSPACE: whole(500, 1).describe(
    'Letters of each kind, such as invitations, that one workspace may have sent in 24 hours',
  ),
  LETTERS_PER_ADDRESS: whole(10, 1).describe('Letters of each kind that one address may get in 24 hours'),
  MAIL_TIMEOUT_MS: whole(10_000, 50).describe('Longest wait for the mail server'),
  OUTBOUND_ALLOWED_NETWORKS: list
    .refine((texts) => texts.every(isNetwork), 'must be networks such as 10.1.0.0/16, separated by commas')
    .describe(
      'Networks that webhooks may reach although they are not public, separated by commas; there also without TLS and on every port',
    ),
  OUTBOUND_NAME_SERVERS: list.describe(
    'Name servers that are asked for the addresses of receivers, as address or address:port, separated by commas; without any, those of the machine',
  ),
  JOBS_HEARTBEAT_SECONDS: whole(10, 10).describe('A worker silent for longer loses its jobs to another one'),
  JOBS_SUPERVISE_SECONDS: whole(5, 1).describe('How often workers look for jobs of silent workers'),
  RETENTION_ACTIVITY_MONTHS: whole(24).describe(
    'Whole months that the activity of boards is kept before it is dropped; 0 for ever',
  ),
  RETENTION_AUDIT_MONTHS: whole(36).describe(
    'Whole months that audit entries are kept before they are dropped; 0 for ever',
  ),
  RETENTION_EVENTS_MONTHS: whole(24).describe(
    'Whole months that events outside of boards are kept before they are dropped; 0 for ever',
  ),
  RETENTION_DELIVERIES_DAYS: whole(30)
    .refine((days) => days === 0 || days > 4, 'must be more than the 4 days that a delivery may wait, or 0')
    .describe('Whole days that deliveries of webhooks are kept before they are dropped; 0 for ever'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http', 'https')
    .optional()
    .describe('OpenTelemetry collector (OTLP over HTTP); without it nothing is traced'),
  TEST_CLOCK_FILE: z
    .string()
    .optional()
    .describe('Tests only: a file with an offset of the clock in milliseconds'),
  TEST_STEPS: z
    .string()
    .optional()
    .describe('Tests only: crashes at named steps, such as `jobs.effect:kill@1`'),
})

export type Config = z.output<typeof configSchema> & { readonly SIGNING_KEY: string }

/** For the start of a process: a wrong setting is the operator's to mend, so it is told without a stack. */
export function configOrExit(): Config {
  try {
    return loadConfig()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exit(misconfigured)
  }
}

/** For what is found out only after the settings were read. */
export function exitMisconfigured(fault: string): never {
  console.error(messageOf([fault]))
  process.exit(misconfigured)
}

/** As in sysexits.h: starting again will not help. */
const misconfigured = 78
const messageOf = (faults: readonly string[]): string =>
  `The configuration is not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`

/** The only place that reads the environment. Everything else gets the values it needs as values. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const result = configSchema.safeParse(given)
  if (!result.success) {
    throw new Error(
      messageOf(result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)),
    )
  }
  const { SIGNING_KEY = developmentKey, ...rest } = result.data
  const config = { ...rest, SIGNING_KEY }
  const faults = faultsOf(config)
  if (faults.length > 0) throw new Error(messageOf(faults))
  return config
}

/** What is right by itself and wrong where it runs, each as a sentence that says what to do. */
function faultsOf(config: Config): string[] {
  const { ENVIRONMENT, SIGNING_KEY, PUBLIC_URL, TEST_CLOCK_FILE, TEST_STEPS } = config
  const faults = []
  if (ENVIRONMENT !== 'development' && SIGNING_KEY === developmentKey)
    faults.push(
      `SIGNING_KEY: ${ENVIRONMENT} needs one of its own; set it to the output of \`openssl rand -base64 32\`, the same in all processes`,
    )
  if (ENVIRONMENT === 'production' && !PUBLIC_URL.startsWith('https:'))
    faults.push(
      'PUBLIC_URL: production needs an https address, because sessions and links in mails travel with it; set it to the address of the proxy that speaks TLS',
    )
  if (ENVIRONMENT === 'production' && (TEST_CLOCK_FILE || TEST_STEPS))
    faults.push('TEST_CLOCK_FILE and TEST_STEPS are for tests, never for production; unset them')
  return faults
}
