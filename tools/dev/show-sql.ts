import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { madeStatements } from '@crewhall/server/platform/db/statement.ts'

/** `npm run sql -- boards/cards` prints what a folder sends to Postgres, file by file. */
const folder = process.argv[2] ?? '**'
const filesIn = (name: string, role: string) =>
  globSync(`apps/server/src/modules/${name}/{,**/}*.${role}.ts`).sort()
const stores = filesIn(folder, 'store')
if (stores.length === 0) {
  console.error(`no stores in apps/server/src/modules/${folder}`)
  process.exit(1)
}
for (const store of stores) await show(store)
// Services that configure the statements of another module, such as sharing, show what they add to all stores.
for (const store of filesIn('**', 'store')) await import(resolve(store))
for (const service of filesIn(folder, 'service')) await show(service)

async function show(file: string): Promise<void> {
  const before = madeStatements.length
  await import(resolve(file))
  const made = madeStatements.slice(before)
  if (made.length === 0) return
  console.log(`-- ${file}\n`)
  for (const { sql } of made) console.log(`${sql};\n`)
}
