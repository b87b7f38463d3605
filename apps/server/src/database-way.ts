import type { Config } from './config.ts'

type Addresses = Pick<Config, 'DATABASE_URL' | 'DATABASE_DIRECT_URL'>

/** A pooler keeps no setting of a connection, so limits are sent only to the database itself. */
interface DatabaseWay {
  readonly url: string
  readonly is_pooled: boolean
}

export const directUrl = (config: Addresses): string => config.DATABASE_DIRECT_URL ?? config.DATABASE_URL

/** Requests are short and many, which is what a pooler is for. A worker has few connections and limits of its own. */
export const databaseWay = (config: Addresses, processName: string): DatabaseWay =>
  processName === 'api'
    ? { url: config.DATABASE_URL, is_pooled: config.DATABASE_DIRECT_URL !== undefined }
    : { url: directUrl(config), is_pooled: false }
