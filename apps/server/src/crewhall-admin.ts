import { parseArgs } from 'node:util'
import { NotRestored, reasonOf } from './close-restored.ts'
import { type Config, configOrExit } from './config.ts'
import { runRelease } from './run-release.ts'
import { runRestore } from './run-restore.ts'

/** What an operator does beside the product; docs/backups.md says when. */
const usage = `usage: node apps/server/src/crewhall-admin.ts restore --to 2026-11-18T06:59:59Z [--without-amcheck]
       node apps/server/src/crewhall-admin.ts release`

const [command, ...args] = process.argv.slice(2)
if (command === 'restore') await restore()
else if (command === 'release') await release(configOrExit())
else leave(usage)

async function restore(): Promise<void> {
  const { to, without_amcheck } = orderOf()
  try {
    const tell = (line: string) => console.log(line)
    const isSound = await runRestore(configOrExit(), { to, without_amcheck, tell })
    console.log(isSound ? 'All checks passed.' : 'NOT ALL CHECKS PASSED; do not serve before you know why.')
    process.exitCode = isSound ? 0 : 1
  } catch (error) {
    const isClosed = !(error instanceof NotRestored)
    console.error(
      isClosed
        ? `Closed, but not all was checked: ${reasonOf(error)}.`
        : `Nothing was done: ${error.message}.`,
    )
    process.exitCode = isClosed ? 1 : 2
  }
}

function orderOf() {
  const options = { to: { type: 'string' }, 'without-amcheck': { type: 'boolean' } } as const
  const { values } = parseArgs({ args, options })
  // A time without a zone would be the time of this machine.
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)$/.test(values.to ?? '')) leave(usage)
  const to = new Date(values.to ?? '')
  if (Number.isNaN(to.getTime())) leave(usage)
  return { to, without_amcheck: values['without-amcheck'] ?? false }
}

async function release({ DATABASE_OWNER_URL, DATABASE_DIRECT_URL, DATABASE_URL }: Config): Promise<void> {
  const done = await runRelease(DATABASE_OWNER_URL ?? DATABASE_DIRECT_URL ?? DATABASE_URL)
  if (!done) {
    console.log('Nothing is held.')
    return
  }
  console.log(`Webhooks and mail of timeline ${done.timeline} are released.`)
  console.log(
    `Not sent, because they may have been: ${done.deliveries} deliveries (marked failed, "restored"; an admin can send each again), ${done.letters} letters, new entries of ${done.inboxes} inboxes.`,
  )
}

function leave(message: string): never {
  console.error(message)
  process.exit(64)
}
