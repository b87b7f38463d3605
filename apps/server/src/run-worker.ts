import { createEngine } from '#platform/jobs/engine.ts'
import { startWorker } from '#platform/jobs/worker.ts'
import { serveInside } from '#platform/readiness/inside-server.ts'
import type { Config } from './config.ts'
import type { Modules } from './modules.ts'
import { createParts, type Parts } from './parts.ts'
import { checkStart } from './start-checks.ts'
import { untilStopped } from './until-stopped.ts'

/** Starts a worker process, and returns when it has been told to stop and its jobs are done. */
export async function runWorker(config: Config, createModules: (parts: Parts) => Modules): Promise<void> {
  const parts = await createParts(config, 'worker')
  const { log, metrics, tracing, queue, ctx, readiness, hold } = parts
  const inside = await serveInside(parts, 1)
  await checkStart(parts, 'worker')
  const modules = createModules(parts)
  const boss = createEngine(parts.engine, 'worker', log)
  const worker = await startWorker({ boss, queue, ctx, log, metrics, tracing, hold }, modules.jobs)
  modules.start()
  readiness.serve()
  log.info({ jobs: modules.jobs.length }, 'ready')
  await untilStopped(log)
  readiness.drain()
  const limit = config.HTTP_DRAIN_MS
  const [cutOff] = await Promise.all([worker.stop(limit), modules.drain(limit)])
  if (cutOff > 0) {
    log.warn({ jobs: cutOff }, 'jobs interrupted by the shutdown; another worker will run them again')
    log.flush()
    // They may hold connections and timers for as long as they like, so there is no orderly end from here.
    setTimeout(() => process.exit(1), 100)
  }
  inside?.close()
  await modules.close()
  await parts.close()
}
