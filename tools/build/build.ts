import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildDashboard, listScripts } from './build-dashboard.ts'
import { type Bundle, bundleSidecar } from './bundle.ts'
import { packCli } from './pack-cli.ts'

/**
 * Builds what is shipped as files: sidecar and command line into `dist` or the folder that is named, and the dashboard.
 * `--only sidecar` builds that alone.
 */
const { values, positionals } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true })
const [folder = resolve(import.meta.dirname, '../../dist')] = positionals

const parts: Readonly<Record<string, () => Promise<void> | void>> = {
  sidecar: async () => tell(await bundleSidecar(folder)),
  cli: async () => Object.values(await packCli(folder)).forEach(tell),
  dashboard,
}

function tell({ file, bytes, digest }: Bundle): void {
  console.log(`${file} ${bytes} bytes sha256:${digest}`)
}

function dashboard(): void {
  buildDashboard()
  for (const script of listScripts())
    console.log(`${script.file} ${script.bytes} bytes compressed${script.is_first ? ', first load' : ''}`)
}

const wanted = values.only === undefined ? Object.keys(parts) : [values.only]
for (const name of wanted) {
  const build = parts[name]
  if (!build) throw new Error(`there is no part ${name}; there are ${Object.keys(parts).join(', ')}`)
  await build()
}
