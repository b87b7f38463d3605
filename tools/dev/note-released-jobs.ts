import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readJobFacts } from '@crewhall/testkit/upgrades/job-facts.ts'

/** Writes what the jobs of a release take, from a checkout of it with its packages: part of every release. */
const checkout = process.argv[2]
if (checkout === undefined) {
  console.error('usage: node tools/dev/note-released-jobs.ts CHECKOUT')
  process.exit(64)
}
const contracts = pathToFileURL(resolve(checkout, 'packages/contracts/src/jobs.ts')).href
const { allJobs } = (await import(contracts)) as typeof import('@crewhall/contracts/jobs.ts')
const file = join(import.meta.dirname, '../../apps/server/released-jobs.json')
writeFileSync(file, `${JSON.stringify(readJobFacts(allJobs), null, 2)}\n`)
