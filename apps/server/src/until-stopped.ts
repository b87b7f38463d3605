import type { Logger } from 'pino'
import { flushed } from '#platform/log/log.ts'

/** Waits for the operator's signal. What nobody caught is logged whole and ends the process: it may be broken. */
export function untilStopped(log: Logger): Promise<void> {
  const die = (error: unknown) => {
    log.fatal({ error }, 'unexpected error; exiting')
    process.exitCode = 1
    // Killed if the log takes nothing: the library would wait for that at every other end.
    const stuck = setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1000)
    flushed(log).then(() => {
      clearTimeout(stuck)
      process.exit(1)
    })
  }
  process.on('uncaughtException', die)
  process.on('unhandledRejection', die)
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      log.info({ signal }, 'stopping')
      resolve()
    }
    process.once('SIGTERM', stop)
    process.once('SIGINT', stop)
  })
}
