import type { Logger } from 'pino'

/** Waits for the operator's signal. What nobody caught is logged whole and ends the process: it may be broken. */
export function untilStopped(log: Logger): Promise<void> {
  const die = (error: unknown) => {
    log.fatal({ error }, 'unexpected error; exiting')
    log.flush()
    process.exitCode = 1
    setTimeout(() => process.exit(1), 100)
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
