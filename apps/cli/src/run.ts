import { readEnvironment } from './environment.ts'
import { Failure } from './failure.ts'
import { Printer } from './output/printer.ts'
import { Program } from './program.ts'

/** One invocation, from its arguments to the code that it ends with. */
export async function run(args: readonly string[]): Promise<number> {
  const stop = new AbortController()
  const onSignal = () => stop.abort()
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  // Whoever reads may have seen enough, as `head` has.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
  })
  const program = new Program(readEnvironment(), stop.signal)
  try {
    return await program.run(args)
  } catch (error) {
    const failure =
      stop.signal.aborted && !(error instanceof Failure) ? new Failure('cancelled', 'cancelled') : error
    return (program.printer ?? new Printer(process.stdout, process.stderr, wishesIn(args))).fail(failure)
  } finally {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}

/** Before the arguments are understood: whether an error has to be JSON. */
const wishesIn = (args: readonly string[]) =>
  args.some((arg) => /^--json(=|$)/.test(arg)) || /(^|\0)(-o|--output)[\0=]?json(\0|$)/.test(args.join('\0'))
    ? { fields: [] }
    : {}
