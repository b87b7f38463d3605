import { randomBytes } from 'node:crypto'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import pg from 'pg'
import { given, needsOwnServer } from './given-address.ts'

export interface TestDatabase {
  readonly name: string
  /** As the role the product uses. */
  readonly url: string
  /** As the role that owns and migrates it. */
  readonly owner_url: string
  drop(): Promise<void>
}

const { postgres } = readServiceFacts()

export const databaseUrl = (name: string): string =>
  Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href

export const ownerUrl = (name: string): string =>
  Object.assign(new URL(postgres.owner_url), { pathname: `/${name}` }).href

/** As superuser, for what no role of the product may do, such as ending another's connection. */
export const adminUrl = (name: string): string =>
  Object.assign(new URL(postgres.admin_url), { pathname: `/${name}` }).href

const describe = (name: string): TestDatabase => ({
  name,
  url: databaseUrl(name),
  owner_url: ownerUrl(name),
  drop: () => dropDatabase(name),
})

/** A connection that its opener has to end. */
export async function connectTo(url: string): Promise<pg.Client> {
  if (given) needsOwnServer('its database')
  const client = new pg.Client(url)
  await client.connect()
  return client
}

/** One statement as superuser, outside any transaction. */
export async function asAdmin(sql: string): Promise<void> {
  const client = await connectTo(postgres.admin_url)
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

export async function createDatabase(name: string): Promise<TestDatabase> {
  await asAdmin(`create database ${name} owner ${postgres.user}`)
  return describe(name)
}

/** A copy of a prepared database, in a few dozen milliseconds. Each test file gets its own. */
export async function cloneDatabase(template: string): Promise<TestDatabase> {
  const name = `${template}_${randomBytes(5).toString('hex')}`
  await asAdmin(`create database ${name} template ${template} owner ${postgres.user}`)
  return describe(name)
}

export const dropDatabase = (name: string): Promise<void> =>
  asAdmin(`drop database if exists ${name} with (force)`)
