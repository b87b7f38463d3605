import type { ServiceFacts } from './facts.ts'
import type { PartName } from './part.ts'

/** The settings with which Crewhall and its tests find the parts. */
export function listEnvironment(facts: ServiceFacts, names: readonly PartName[]): Record<string, string> {
  const { postgres, redis, s3, mail } = facts
  const byPart: Record<PartName, Record<string, string>> = {
    postgres: {
      DATABASE_URL: postgres.url,
      DATABASE_OWNER_URL: postgres.owner_url,
      TEST_PG_ADMIN_URL: postgres.admin_url,
    },
    redis: { REDIS_URL: redis.url },
    s3: {
      S3_ENDPOINT: s3.endpoint,
      S3_REGION: s3.region,
      S3_BUCKET: s3.bucket,
      S3_ACCESS_KEY_ID: s3.access_key_id,
      S3_SECRET_ACCESS_KEY: s3.secret_access_key,
    },
    mail: { SMTP_URL: mail.smtp_url, MAIL_DOMAIN: mail.domain },
  }
  return Object.assign({}, ...names.map((name) => byPart[name]))
}
