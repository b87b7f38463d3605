import { readFileSync } from 'node:fs'
import { allJobs } from '@crewhall/contracts/jobs.ts'
import pg from 'pg'
import { grantToProduct } from '#platform/db/grants.ts'
import { loadConfig } from '../../src/config.ts'
import { runMigrate } from '../../src/run-migrate.ts'
import { probeJobs } from './probe.contract.ts'

/** The product's database with the probe's tables beside it. */
const config = loadConfig()
await runMigrate(config, [...allJobs, ...probeJobs])
const ownerUrl = config.DATABASE_OWNER_URL ?? config.DATABASE_URL
const client = new pg.Client(ownerUrl)
await client.connect()
await client.query(readFileSync(new URL('probe.sql', import.meta.url), 'utf8'))
await client.end()
await grantToProduct(ownerUrl, new URL(config.DATABASE_URL).username)
