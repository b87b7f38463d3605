import { systemCtx } from '#platform/ctx/ctx.ts'
import { findWrongValues } from '#platform/db/derived.ts'
import { configOrExit } from './config.ts'
import { derivedTables } from './modules.ts'
import { createParts } from './parts.ts'

/**
 * Compares what tables hold only for the sake of speed, such as counts, with the rows it follows from. Ends with 1
 * when a value is wrong, and says which. It may run at any time, beside everything else.
 */
const shown = 1000
const parts = await createParts({ ...configOrExit(), LOG_LEVEL: 'error' }, 'verify-data')
const { db } = systemCtx(parts.ctx, parts.log, { kind: 'system', name: 'verify-data' }).overBrands()
let wrong = 0
try {
  for await (const { column, brand_id, id, found, truth } of findWrongValues(db, derivedTables)) {
    wrong += 1
    if (wrong > shown) continue
    console.log(
      `${column} of ${id} (brand ${brand_id}): ${JSON.stringify(found)}, should be ${JSON.stringify(truth)}`,
    )
  }
} finally {
  await parts.close()
}
if (wrong > shown) console.log(`and ${wrong - shown} more`)
const columns = derivedTables.reduce((sum, table) => sum + table.columns.length, 0)
console.log(wrong === 0 ? `All ${columns} derived columns are correct.` : `${wrong} values are wrong.`)
process.exitCode = wrong === 0 ? 0 : 1
