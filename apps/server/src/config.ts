import { z } from 'zod'
import { addressOf, isNetwork } from '#platform/outbound/addresses.ts'
import { codeIndexSettings } from './code-index-settings.ts'
import { fleetSettings } from './fleet-settings.ts'
import { modelSettings } from './model-settings.ts'
import { listSecretSettings, readSecretFiles, secret } from './secret-files.ts'
import { flag, list, url, whole } from './setting-forms.ts'

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
      'Reported by `GET /api/v1/system/info`. Production refuses test settings, an http PUBLIC_URL and a database role that bypasses row-level security',
    ),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Minimum log level'),
  HTTP_HOST: z.string().default('127.0.0.1').describe('Address the API listens on'),
  HTTP_PORT: whole(8400).describe('Port the API listens on'),
  HTTP_TRUST_PROXY: list
    .refine(
      (texts) => texts.every((text) => isNetwork(text) || addressOf(text)),
      'must be addresses or networks such as 10.1.0.0/16, separated by commas',
    )
    .describe('Proxies whose X-Forwarded-For header is trusted: addresses or networks, comma-separated'),
  HTTP_BODY_LIMIT_BYTES: whole(1_048_576, 1024).describe(
    'Maximum size of a JSON body; upload routes have their own limits',
  ),
  HTTP_DEADLINE_MS: whole(5500, 100).describe('Deadline of a request; past it the caller gets 503'),
  HTTP_REQUEST_TIMEOUT_MS: whole(30_000, 100).describe(
    'Time for a request to arrive, headers and body; past it the caller gets 408 and the connection is closed',
  ),
  HTTP_STALL_TIMEOUT_MS: whole(40_000, 100).describe(
    'Closes connections with no traffic for this long, such as a client that stopped reading. Must exceed the slowest route (30 seconds)',
  ),
  HTTP_MAX_SOCKETS: whole(10_000, 1).describe(
    'Maximum open connections per process; further ones are closed',
  ),
  HTTP_MAX_SOCKETS_PER_NETWORK: whole(1500).describe(
    'Maximum open connections per client network (an IPv4 address or an IPv6 /64) and process; 0 for no limit. Trusted proxies are exempt',
  ),
  HTTP_MAX_OPEN_PER_NETWORK: whole(128).describe(
    'Maximum concurrent requests per client network and process; further ones get 429. 0 for no limit. Event streams do not count',
  ),
  HTTP_MAX_IN_FLIGHT: whole(256, 1).describe(
    'Maximum concurrent requests per process; further ones get 503 with Retry-After',
  ),
  HTTP_MAX_EVENT_LOOP_DELAY_MS: whole(1000, 10).describe(
    'Event-loop delay beyond which requests get 503 with Retry-After',
  ),
  HTTP_RATE_LIMIT_PER_MINUTE: whole(6000).describe(
    'Rate limit per client address, in requests per minute; 0 for no limit. The health check is exempt',
  ),
  HTTP_RATE_LIMIT_PER_CREDENTIAL: whole(3000).describe(
    'Rate limit per token or session, in requests per minute and API process; 0 for no limit',
  ),
  HTTP_MAX_STREAMS: whole(1000, 1).describe(
    'Maximum open event streams per process; further ones get 503 with Retry-After',
  ),
  HTTP_MAX_STREAMS_PER_WORKSPACE: whole(200, 1).describe(
    'Maximum open event streams per workspace and process; further ones get 429',
  ),
  HTTP_MAX_STREAMS_PER_CALLER: whole(20, 1).describe(
    'Maximum open event streams per token or session and process; further ones get 429',
  ),
  HTTP_DRAIN_DELAY_MS: whole(0).describe(
    'Time between the signal to stop, from which `/ready` returns 503, and the end of listening: as long as the proxy needs to notice. See docs/readiness.md',
  ),
  HTTP_DRAIN_MS: whole(10_000).describe('Time for requests in flight to finish on shutdown'),
  HTTP_CHECK_ANSWERS: flag(false).describe(
    'Validate every response against its contract; for tests and development',
  ),
  PUBLIC_URL: url('http', 'https')
    .default('http://127.0.0.1:8400')
    .describe(
      'Public address of the service, used for links in mail. With https, cookies are Secure; production requires https',
    ),
  DASHBOARD_FOLDER: z
    .string()
    .min(1)
    .optional()
    .describe('Folder of the built dashboard; by default where `npm run build` puts it'),
  SESSION_COOKIE_NAME: z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .default('crewhall_session')
    .describe('Name of the session cookie; prefixed with `__Host-` when PUBLIC_URL is https'),
  ADMIN_KEY_DIGESTS: list
    .refine(
      (digests) => digests.every((digest) => /^[0-9a-f]{64}$/i.test(digest)),
      'must be SHA-256 digests of 64 hexadecimal digits, separated by commas; `printf %s "$KEY" | sha256sum` prints one',
    )
    .meta(
      secret(
        'SHA-256 digests (hex) of the accepted X-Admin-Key values, comma-separated; list two while you rotate',
      ),
    ),
  SIGNING_KEY: z
    .string()
    .regex(signingKey, signingKeyRule)
    .optional()
    .meta(
      secret(
        'Signs cursors and encrypts webhook secrets; must be the same in all processes. Optional in development only. Generate one with `openssl rand -base64 32`; see docs/signing-keys.md for rotation',
      ),
    ),
  SIGNING_KEYS_ACCEPTED: list
    .refine((keys) => keys.every((key) => signingKey.test(key)), signingKeyRule)
    .meta(secret('Additional keys accepted during a rotation of SIGNING_KEY, comma-separated')),
  SIGN_UP: z
    .enum(['open', 'invite', 'off'])
    .default('open')
    .describe('Who may sign up: `open` anyone, `invite` only people invited to a workspace, `off` nobody'),
  SIGN_UP_MAIL_DOMAINS: list.describe(
    'Mail domains allowed to sign up without an invitation, comma-separated; empty allows all',
  ),
  AUTH_TRIES_PER_ADDRESS: whole(300, 1).describe(
    'Failed sign-ins, sign-ups, reset requests and invalid reset links allowed per client address in 15 minutes',
  ),
  AUTH_TRIES_PER_EMAIL: whole(100, 10).describe(
    'Failed sign-ins allowed per account in 15 minutes over all client addresses, at most 10 of them from one',
  ),
  METRICS_HOST: z
    .string()
    .default('127.0.0.1')
    .describe('Address that `/metrics`, `/ready` and `/live` listen on; keep it private'),
  METRICS_PORT: whole(9400).describe(
    'Port of `/metrics`, `/ready` and `/live` for the API; the worker uses the next one, the hub the one after. 0 disables all',
  ),
  DATABASE_URL: url('postgres', 'postgresql').meta(secret('PostgreSQL 17 with the `vector` extension')),
  DATABASE_DIRECT_URL: url('postgres', 'postgresql')
    .optional()
    .meta(
      secret(
        'The same database past the pooler, where DATABASE_URL names one in transaction mode such as PgBouncer: same role and name, another host or port. Then only requests go through the pooler, and time limits are those of the role, which migrations set; see docs/pooler.md',
      ),
    ),
  DATABASE_OWNER_URL: url('postgres', 'postgresql')
    .optional()
    .meta(
      secret(
        'The same database as its owner role, never through a pooler; used for migrations only. Falls back to DATABASE_DIRECT_URL, then to DATABASE_URL',
      ),
    ),
  DATABASE_POOL_SIZE: whole(10, 1).describe('Connection pool size per process'),
  DATABASE_CONNECT_TIMEOUT_MS: whole(2000, 50).describe(
    'Maximum wait for a pooled connection, and in each queue for one',
  ),
  DATABASE_STATEMENT_TIMEOUT_MS: whole(5000, 50).describe('Statement timeout'),
  DATABASE_LOCK_TIMEOUT_MS: whole(2000, 50).describe('Lock timeout'),
  DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: whole(10_000, 100).describe('Idle-in-transaction timeout'),
  MEMORY_DATABASE_URL: url('postgres', 'postgresql')
    .optional()
    .meta(
      secret(
        'The same database by another way, such as a pooler of its own, for agent memory: same role and name, another host or port. Falls back to DATABASE_DIRECT_URL, then to DATABASE_URL',
      ),
    ),
  MEMORY_DATABASE_POOL_SIZE: whole(10, 1).describe('Connection pool size per process for agent memory'),
  MEMORY_DEADLINE_MS: whole(30_000, 2000).describe(
    'Deadline of a request to agent memory; past it the caller gets 504, and nothing of it is committed',
  ),
  ...codeIndexSettings,
  REDIS_URL: url('redis', 'rediss').meta(secret('Redis 7; holds only data that can be rebuilt')),
  REDIS_PREFIX: z.string().default('crewhall:').describe('Put before every key'),
  REDIS_TIMEOUT_MS: whole(1000, 10).describe('Redis command timeout'),
  S3_ENDPOINT: url('http', 'https')
    .optional()
    .describe('S3 endpoint for pictures and files; without it uploads get 503'),
  S3_REGION: z.string().default('us-east-1').describe('Region of the bucket'),
  S3_BUCKET: z.string().default('crewhall').describe('Bucket'),
  S3_PREFIX: z
    .string()
    .regex(/^([A-Za-z0-9_.-]+\/)*$/, 'must be empty or end with a slash')
    .default('')
    .describe('Key prefix; installations that share a bucket need different ones'),
  S3_ACCESS_KEY_ID: z.string().optional().meta(secret('Access key')),
  S3_SECRET_ACCESS_KEY: z.string().optional().meta(secret('Secret key')),
  S3_TIMEOUT_MS: whole(5000, 50).describe('Storage request timeout; files get as long again for each 4 MB'),
  ATTACHMENTS_MB_PER_WORKSPACE: whole(10_240).describe(
    'What all attachments of a workspace may take, in MiB; further ones get 409',
  ),
  SMTP_URL: url('smtp', 'smtps').optional().meta(secret('Outgoing mail server; without it no mail is sent')),
  MAIL_FROM: z.string().default('Crewhall <no-reply@localhost>').describe('Sender address of outgoing mail'),
  MAIL_DOMAIN: z
    .string()
    .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/, 'must be a domain in lower case')
    .default('localhost')
    .describe('Domain of the mailboxes that Crewhall manages'),
  MAIL_RESERVED_NAMES: list.describe(
    'Mailbox names nobody may take, in addition to postmaster, abuse and other role names; comma-separated',
  ),
  SERVICE_NAME: z.string().min(1).default('Crewhall').describe('Product name shown to users'),
  LETTERS_PER_WORKSPACE: whole(500, 1).describe(
    'Maximum mails of each kind, such as invitations, per workspace in 24 hours',
  ),
  LETTERS_PER_ADDRESS: whole(10, 1).describe('Maximum mails of each kind per recipient in 24 hours'),
  INBOX_MAIL_MINUTES: whole(15, 1).describe(
    'Minimum minutes between two mails about the same inbox, for people who want them at once',
  ),
  MAIL_TIMEOUT_MS: whole(10_000, 50).describe('Mail server timeout'),
  OUTBOUND_ALLOWED_NETWORKS: list
    .refine((texts) => texts.every(isNetwork), 'must be networks such as 10.1.0.0/16, separated by commas')
    .describe('Private networks webhooks may reach, comma-separated; there also without TLS and on any port'),
  OUTBOUND_NAME_SERVERS: list.describe(
    'Name servers used to resolve webhook receivers, as address or address:port, comma-separated; defaults to those of the machine',
  ),
  JOBS_HEARTBEAT_SECONDS: whole(10, 10).describe(
    'A worker without a heartbeat for this long loses its jobs to another one',
  ),
  JOBS_SUPERVISE_SECONDS: whole(5, 1).describe('How often workers take over jobs of dead workers'),
  RETENTION_ACTIVITY_MONTHS: whole(24).describe('Months of board activity to keep; 0 keeps all'),
  RETENTION_AUDIT_MONTHS: whole(36).describe('Months of audit entries to keep; 0 keeps all'),
  RETENTION_EVENTS_MONTHS: whole(24).describe('Months of events outside of boards to keep; 0 keeps all'),
  RETENTION_DELIVERIES_DAYS: whole(30)
    .refine((days) => days === 0 || days > 4, 'must be more than the 4 days that a delivery may wait, or 0')
    .describe('Days of webhook deliveries to keep; 0 keeps all'),
  RETENTION_CONVERSATIONS_DAYS: whole(90).describe(
    'Days to keep the texts of a conversation after it was read or has failed; 0 keeps all',
  ),
  ERASURE_GRACE_DAYS: whole(7).describe(
    'Days between the request to erase an account or a workspace and the erasure; platform admins erase at once',
  ),
  ERASURE_SETTLE_SECONDS: whole(60).describe(
    'How long an erasure waits for requests in flight; longer than any request takes',
  ),
  ...modelSettings,
  RECALL_TIMEOUT_MS: whole(8000, 100)
    .refine((ms) => ms <= 20_000, 'must be at most 20000, because requests end after 30 s')
    .describe('How long a recall may take with the language model; past it the order is that of the search'),
  RECALL_DAILY_CALLS: whole(5000).describe(
    'Model calls that recalls may make for a workspace on a day (UTC); past it they keep the order of the search; 0 is no limit',
  ),
  RECALL_DAILY_TOKENS: whole(50_000_000).describe('The same in tokens, sent and received'),
  CONVERSATIONS_DAILY_CALLS: whole(2000).describe(
    'Model calls that reading conversations and joining memories may make for a workspace on a day (UTC); past it conversations are held until the next one, and patterns are written without the model; 0 is no limit',
  ),
  CONVERSATIONS_DAILY_TOKENS: whole(5_000_000).describe('The same in tokens, sent and received'),
  CONVERSATIONS_ROOT: z
    .string()
    .regex(/^\//, 'must be an absolute path')
    .optional()
    .describe(
      'Directory with a directory for each workspace, named by its number, in which sources of conversations may name directories; workers read session files in them every ten minutes; without it such sources are refused. Linux only. See docs/session-files.md',
    ),
  AGENT_FILES_DIR: z
    .string()
    .regex(/^\//, 'must be an absolute path')
    .optional()
    .describe(
      'Directory for the files of agents, such as `<workspace>/<agent>/MEMORY.md`, written once an hour; without it nothing is written. Linux only. See docs/agent-files.md',
    ),
  ...fleetSettings,
  OTEL_EXPORTER_OTLP_ENDPOINT: url('http', 'https')
    .optional()
    .describe('OpenTelemetry collector (OTLP over HTTP); without it tracing is off'),
  TEST_CLOCK_FILE: z.string().optional().describe('Tests only: file with a clock offset in milliseconds'),
  TEST_FAULT_POINTS: z
    .string()
    .optional()
    .describe(
      'Tests only: crashes at named fault points, such as `jobs.effect:kill@1`, or `@` and a file that holds them',
    ),
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
  const read = readSecretFiles(given, listSecretSettings(configSchema))
  if (read.faults.length > 0) throw new Error(messageOf(read.faults))
  const result = configSchema.safeParse(read.env)
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

const otherWays = ['DATABASE_DIRECT_URL', 'MEMORY_DATABASE_URL', 'CODE_INDEX_DATABASE_URL'] as const

/** What is right by itself and wrong where it runs, each as a sentence that says what to do. */
function faultsOf(config: Config): string[] {
  const { ENVIRONMENT, SIGNING_KEY, PUBLIC_URL, TEST_CLOCK_FILE, TEST_FAULT_POINTS } = config
  const faults = []
  for (const name of otherWays)
    if (config[name] && !isSameDatabase(config.DATABASE_URL, config[name]))
      faults.push(
        `${name}: must name the same role and database as DATABASE_URL; only host, port, password and options may differ`,
      )
  if (ENVIRONMENT !== 'development' && SIGNING_KEY === developmentKey)
    faults.push(
      `SIGNING_KEY: ${ENVIRONMENT} needs one of its own; set it to the output of \`openssl rand -base64 32\`, the same in all processes`,
    )
  if (ENVIRONMENT === 'production' && !PUBLIC_URL.startsWith('https:'))
    faults.push(
      'PUBLIC_URL: production needs an https address, because sessions and links in mails travel with it; set it to the address of the proxy that speaks TLS',
    )
  if (config.EMBEDDINGS === 'url' && !(config.EMBEDDINGS_URL && config.EMBEDDINGS_MODEL))
    faults.push('EMBEDDINGS: `url` needs EMBEDDINGS_URL and EMBEDDINGS_MODEL; see docs/models.md')
  if (config.MESH_HUB_ENDPOINT && !config.MESH_HUB_PUBLIC_KEY)
    faults.push('MESH_HUB_PUBLIC_KEY: MESH_HUB_ENDPOINT needs the key of the hub; see docs/mesh.md')
  if (config.LLM_URL && !config.LLM_MODEL) faults.push('LLM_MODEL: LLM_URL needs the name of a model')
  if (ENVIRONMENT === 'production' && (TEST_CLOCK_FILE || TEST_FAULT_POINTS))
    faults.push('TEST_CLOCK_FILE and TEST_FAULT_POINTS are for tests, never for production; unset them')
  return faults
}

/** As far as addresses can tell. Another one could not commit together with audit, jobs and kept responses. */
function isSameDatabase(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)]
  return a.username === b.username && a.pathname === b.pathname
}
