import { readEnvironment } from './environment.ts'
import { version } from './version.ts'

const args = process.argv.slice(2)
if (args.length === 1 && ['--version', '-v', 'version'].includes(args[0] ?? '')) console.log(version)
// Words to complete may be anything, also flags that are half typed: they are not understood, and it has to be quick.
else if (args[0] === '__complete')
  await (await import('./commands/complete.ts')).complete(readEnvironment(), args.slice(1))
else process.exitCode = await (await import('./run.ts')).run(args)
