import { composeDrill } from './compose-drill.ts'
import { countRows, drillTable, runDrills } from './drill.ts'
import { haConformanceDrill } from './ha/ha-conformance-drill.ts'
import { haDrill } from './ha/ha-drill.ts'
import { imageDrill } from './image-drill.ts'
import { proxyDrill } from './proxy-drill.ts'
import { restoreDrill } from './restore/restore-drill.ts'
import { previousDrill } from './upgrade/previous-drill.ts'
import { upgradeDrill } from './upgrade/upgrade-drill.ts'
import { watchingDrill } from './watching-drill.ts'

/**
 * What takes too long for the gate: whole images and installations. Names on the command line choose some, `--short` what
 * the gate has time for.
 */
const drills = [
  imageDrill,
  proxyDrill,
  composeDrill,
  watchingDrill,
  restoreDrill,
  upgradeDrill,
  previousDrill,
  haDrill,
  haConformanceDrill,
]

const isShort = process.argv.includes('--short')
const wanted = process.argv.slice(2).filter((word) => word !== '--short')
const unknown = wanted.filter((name) => !drills.some((drill) => drill.name === name))
if (unknown.length > 0) {
  console.error(
    `there is no drill ${unknown.join(', ')}; there are ${drills.map(({ name }) => name).join(', ')}`,
  )
  process.exit(64)
}
const chosen = drills.filter(
  ({ name, has_short = false }) => (wanted.length === 0 || wanted.includes(name)) && (has_short || !isShort),
)
const rows = await runDrills(chosen, (line) => console.log(line), { is_short: isShort })
console.log(`\n${drillTable(rows)}\n\n${countRows(rows)}`)
const ran = rows.filter(({ outcome }) => outcome !== 'not run')
if (ran.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1
else if (ran.length === 0) process.exitCode = 77
