import { runBuild } from './builds/run-build.ts'
import { cutSecrets } from './cut-secrets.rules.ts'
import { createLog, wordsOf } from './log.ts'
import { readOwnCode } from './own-code.ts'
import { markLogin } from './report.ts'
import { readSettings } from './settings.ts'
import { runSidecar } from './sidecar.ts'
import { superviseSidecar } from './updates/supervise.ts'

const usage = 'usage: sidecar.mjs [run | supervise | build <command> … | login (expired | valid) | version]'

/** The words of an error and no stack: it stands in the journal of somebody's machine. */
const refuse = (error: unknown): number => {
  console.error(cutSecrets(error instanceof Error ? wordsOf(error) : String(error)))
  return 1
}

const log = createLog((line) => console.log(line))

async function main([command = 'run', ...rest]: readonly string[]): Promise<number> {
  const code = await readOwnCode(import.meta.filename)
  if (command === 'version') {
    console.log(code.version)
    return 0
  }
  if (command === 'build') return runBuild((await readSettings()).state_dir, rest)
  if (command === 'login') {
    await markLogin((await readSettings()).state_dir, rest[0])
    return 0
  }
  if (command === 'supervise' && rest.length === 0)
    return superviseSidecar(await readSettings(), { file: import.meta.filename, code }, log)
  if (command !== 'run' || rest.length > 0) throw new Error(usage)
  return runSidecar(await readSettings(), code, log)
}

process.exitCode = await main(process.argv.slice(2)).catch(refuse)
