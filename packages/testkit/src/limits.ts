/**
 * Limits of an API process that a machine under load does not reach: what a test is refused then has a cause. A worker
 * keeps those of the product, because a job is tried again and a caller is not.
 */
export const patientLimits: Readonly<Record<string, string>> = {
  HTTP_DEADLINE_MS: '25000',
  HTTP_MAX_EVENT_LOOP_DELAY_MS: '25000',
  DATABASE_CONNECT_TIMEOUT_MS: '20000',
  DATABASE_STATEMENT_TIMEOUT_MS: '20000',
  DATABASE_LOCK_TIMEOUT_MS: '20000',
  DATABASE_IDLE_TRANSACTION_TIMEOUT_MS: '30000',
  REDIS_TIMEOUT_MS: '20000',
  S3_TIMEOUT_MS: '20000',
  MAIL_TIMEOUT_MS: '20000',
}

/**
 * The defaults of the product, which an empty setting means, for tests of limits and outages. The delay of the event
 * loop says nothing on a machine that runs other tests as well, so it stays.
 */
export const productLimits: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(patientLimits)
    .filter((name) => name !== 'HTTP_MAX_EVENT_LOOP_DELAY_MS')
    .map((name) => [name, '']),
)
