import { version } from './version.ts'

const args = process.argv.slice(2)
if (args.length === 1 && ['--version', '-v', 'version'].includes(args[0] ?? '')) console.log(version)
else process.exitCode = await (await import('./run.ts')).run(args)
