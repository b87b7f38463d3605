import { readFileSync } from 'node:fs'
import { waitFor } from './wait-for.ts'

/** Waits until a process that is to stop at a named step has been stopped by it. */
export const untilFrozen = ({ pid }: { readonly pid: number }): Promise<boolean> =>
  waitFor(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') T '), 30_000)
