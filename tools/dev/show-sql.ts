import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { madeStatements } from '@crewhall/server/platform/db/statement.ts'

/** `npm run sql -- boards/cards` prints what the stores of a folder send to Postgres, file by file. */
const folder = process.argv[2] ?? '**'
const stores = globSync(`apps/server/src/modules/${folder}/{,**/}*.store.ts`).sort()
if (stores.length === 0) {
  console.error(`no stores in apps/server/src/modules/${folder}`)
  process.exit(1)
}
for (const store of stores) {
  const before = madeStatements.length
  await import(resolve(store))
  console.log(`-- ${store}\n`)
  for (const { sql } of madeStatements.slice(before)) console.log(`${sql};\n`)
}
