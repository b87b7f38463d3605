import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { readServiceFacts } from '../../../tools/services/facts.ts'

export interface TestDatabase {
  readonly name: string
  /** As the role the product uses. */
  readonly url: string
  drop(): Promise<void>
}

const { postgres } = readServiceFacts()

export const databaseUrl = (name: string): string =>
  Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href

/** One statement as superuser, outside any transaction. */
export async function asAdmin(sql: string): Promise<void> {
  const client = new pg.Client(postgres.admin_url)
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

export async function createDatabase(name: string): Promise<TestDatabase> {
  await asAdmin(`create database ${name} owner ${postgres.user}`)
  return { name, url: databaseUrl(name), drop: () => dropDatabase(name) }
}

/** A copy of a prepared database, in a few dozen milliseconds. Each test file gets its own. */
export async function cloneDatabase(template: string): Promise<TestDatabase> {
  const name = `${template}_${randomBytes(5).toString('hex')}`
  await asAdmin(`create database ${name} template ${template} owner ${postgres.user}`)
  return { name, url: databaseUrl(name), drop: () => dropDatabase(name) }
}

export const dropDatabase = (name: string): Promise<void> =>
  asAdmin(`drop database if exists ${name} with (force)`)
