import { enableCompileCache } from 'node:module'
import { version } from './version.ts'

// Most of a start is compiling; what an earlier one has compiled is kept where the system keeps such things.
enableCompileCache?.()

const args = process.argv.slice(2)
if (args.length === 1 && ['--version', '-v', 'version'].includes(args[0] ?? '')) console.log(version)
else {
  const { run } = await import('./run.ts')
  process.exitCode = await run(args)
}
