import { resolve } from 'node:path'
import { buildDashboard, listScripts } from './build-dashboard.ts'
import { bundleSidecar } from './bundle.ts'
import { bundleCli } from './bundle-cli.ts'

/** Builds what is shipped as files: sidecar and command line into `dist` or the folder that is named, and the dashboard. */
const [folder = resolve(import.meta.dirname, '../../dist')] = process.argv.slice(2)
for (const bundle of [bundleSidecar, bundleCli]) {
  const { file, bytes, digest } = await bundle(folder)
  console.log(`${file} ${bytes} bytes sha256:${digest}`)
}

buildDashboard()
for (const script of listScripts())
  console.log(`${script.file} ${script.bytes} bytes compressed${script.is_first ? ', first load' : ''}`)
