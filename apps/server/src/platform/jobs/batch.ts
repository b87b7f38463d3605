import type { Fetched, JobRunner, Outcome, WorkerParts } from '#platform/jobs/run-job.ts'

/** Jobs of one batch that run at the same time. More would only wait for each other's connections. */
const lanes = 8

/** A job that was cut off this often may be what kills the process. */
const suspectAfter = 2

/** Runs a batch the engine handed out. When it returns, the engine completes what is still open of it. */
export async function runBatch(
  { boss, log }: WorkerParts,
  name: string,
  runner: JobRunner,
  fetched: readonly Fetched[],
): Promise<void> {
  const outcomes = new Map<Fetched, Outcome>()
  const run = async (one: Fetched) => outcomes.set(one, await runner.run(one))
  /** Tells the engine of what is done, ahead of the end of the batch. */
  const tell = async () => {
    const done = fetched.filter((one) => outcomes.get(one) === 'done')
    const jobs = done.map(({ id, retryCount }) => ({ id, retryCount }))
    // A failure here loses nothing: these jobs run again, and their effects are in the ledger.
    if (jobs.length > 0) await boss.complete(name, jobs).catch((error) => log.warn({ error }, 'job engine'))
  }

  const fresh = fetched.filter(({ retryCount }) => retryCount < suspectAfter)
  const rest = fresh.values()
  const lane = async () => {
    for (const one of rest) await run(one)
  }
  await Promise.all(Array.from({ length: Math.min(lanes, fresh.length) }, lane))

  // Suspects run alone, in any order, and results are reported before the next one starts. Otherwise a
  // poison pill would take its whole batch along at every crash, until innocent jobs reach the limit too.
  const suspects = fetched.filter(({ retryCount }) => retryCount >= suspectAfter)
  const anyOrder = suspects
    .map((one) => ({ one, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
  for (const { one } of anyOrder) {
    await tell()
    await run(one)
  }

  if (!outcomes.values().some((outcome) => outcome === 'open')) return
  await tell()
  throw new Error('jobs of this batch could not be settled and run again')
}
