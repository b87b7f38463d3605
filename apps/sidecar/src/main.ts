import { runBuild } from './builds/run-build.ts'
import { cutSecrets } from './cut-secrets.rules.ts'
import { faultPointsOf } from './fault-points.ts'
import { createLog, type Log, wordsOf } from './log.ts'
import { LogFile } from './log-file.ts'
import { readOwnCode } from './own-code.ts'
import { markLogin } from './report.ts'
import { faultPlan, readSettings } from './settings.ts'
import { runSidecar } from './sidecar.ts'
import { superviseSidecar } from './updates/supervise.ts'

const usage = 'usage: sidecar.mjs [run | supervise | build <command> … | login (expired | valid) | version]'

/** The words of an error and no stack: it stands in the journal of somebody's machine. */
const refuse = (error: unknown): number => {
  console.error(cutSecrets(error instanceof Error ? wordsOf(error) : String(error)))
  return 1
}

/** Into the journal, and where the service may ask for it. */
const logInto = (file: LogFile): Log =>
  createLog((line) => {
    console.log(line)
    file.append(line)
  })

async function main([command = 'run', ...rest]: readonly string[]): Promise<number> {
  const code = await readOwnCode(import.meta.filename)
  if (command === 'version') {
    console.log(code.version)
    return 0
  }
  if (command === 'build') return runBuild(await readSettings(), rest)
  if (command === 'login') {
    await markLogin((await readSettings()).state_dir, rest[0])
    return 0
  }
  if (!['run', 'supervise'].includes(command) || rest.length > 0) throw new Error(usage)
  const settings = await readSettings()
  const log_file = new LogFile(settings.state_dir)
  const log = logInto(log_file)
  const faultPoint = faultPointsOf(faultPlan())
  return command === 'run'
    ? runSidecar(settings, { code, log, log_file, faultPoint })
    : superviseSidecar(settings, { file: import.meta.filename, code }, log, faultPoint)
}

process.exitCode = await main(process.argv.slice(2)).catch(refuse)
