import { runBuild } from './builds/run-build.ts'
import { createLog } from './log.ts'
import { readOwnCode } from './own-code.ts'
import { readSettings } from './settings.ts'
import { runSidecar } from './sidecar.ts'

const usage = 'usage: sidecar.mjs [run | build <command> … | version]'

/** The words of an error and no stack: it stands in the journal of somebody's machine. */
const refuse = (error: unknown): number => {
  console.error(error instanceof Error ? error.message : String(error))
  return 1
}

async function main([command = 'run', ...rest]: readonly string[]): Promise<number> {
  const code = await readOwnCode(import.meta.filename)
  if (command === 'version') {
    console.log(code.version)
    return 0
  }
  if (command === 'build') return runBuild((await readSettings()).state_dir, rest)
  if (command !== 'run' || rest.length > 0) throw new Error(usage)
  return runSidecar(
    await readSettings(),
    code,
    createLog((line) => console.log(line)),
  )
}

process.exitCode = await main(process.argv.slice(2)).catch(refuse)
