import { preparationMs } from '@crewhall/services/preparation.ts'
import { composeDrill } from './compose-drill.ts'
import { chooseDrills, countRows, drillTable, runDrills } from './drill.ts'
import { haBackupsDrill } from './ha/ha-backups-drill.ts'
import { haConformanceDrill } from './ha/ha-conformance-drill.ts'
import { haDrill } from './ha/ha-drill.ts'
import { imageDrill } from './image-drill.ts'
import { installDrill } from './install-drill.ts'
import { proxyDrill } from './proxy-drill.ts'
import { restoreDrill } from './restore/restore-drill.ts'
import { unitsDrill } from './units-drill.ts'
import { previousDrill } from './upgrade/previous-drill.ts'
import { upgradeDrill } from './upgrade/upgrade-drill.ts'
import { watchingDrill } from './watching-drill.ts'

/**
 * What takes too long for the gate: whole images and installations. Names on the command line choose some, `--short` what
 * the gate has time for, `--full` all that is shown before a release.
 */
const drills = [
  imageDrill,
  proxyDrill,
  composeDrill,
  installDrill,
  unitsDrill,
  watchingDrill,
  restoreDrill,
  upgradeDrill,
  previousDrill,
  haDrill,
  haBackupsDrill,
  haConformanceDrill,
]

const words = process.argv.slice(2)
const size = words.includes('--short') ? 'short' : words.includes('--full') ? 'full' : 'usual'
const wanted = words.filter((word) => !['--short', '--full'].includes(word))
const unknown = wanted.filter((name) => !drills.some((drill) => drill.name === name))
if (unknown.length > 0) {
  console.error(
    `there is no drill ${unknown.join(', ')}; there are ${drills.map(({ name }) => name).join(', ')}`,
  )
  process.exit(64)
}
const chosen = chooseDrills(drills, size, wanted)
const began = performance.now()
const rows = await runDrills(chosen, (line) => console.log(line), size)
const minutes = (ms: number) => (ms / 60_000).toFixed(1)
const spent = `${minutes(performance.now() - began)} minutes, of which ${minutes(preparationMs())} went into what a machine needs once: packages, root file systems and images of parts`
console.log(`\n${drillTable(rows)}\n\n${spent}\n${countRows(rows)}`)
const ran = rows.filter(({ outcome }) => outcome !== 'not run')
if (ran.some(({ outcome }) => outcome === 'failed')) process.exitCode = 1
else if (ran.length === 0) process.exitCode = 77
