import { findServiceFacts } from '@crewhall/services/facts.ts'

/** Addresses of the local services, for whatever the environment does not say itself. */
export function withServiceEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const facts = findServiceFacts()
  if (!facts) return env
  const { postgres, redis, s3, mail } = facts
  const known = {
    DATABASE_URL: postgres.url,
    DATABASE_OWNER_URL: postgres.owner_url,
    REDIS_URL: redis.url,
    S3_ENDPOINT: s3.endpoint,
    S3_REGION: s3.region,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.access_key_id,
    S3_SECRET_ACCESS_KEY: s3.secret_access_key,
    SMTP_URL: mail.smtp_url,
    HTTP_CHECK_ANSWERS: 'true',
  }
  // A secret that is given as a file must not be given twice.
  const wanted = Object.entries(known).filter(([name]) => !env[`${name}_FILE`])
  return { ...Object.fromEntries(wanted), ...env }
}
