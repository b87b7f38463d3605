import { removeLeftHosts } from './host-folder.ts'
import { markOf } from './process-mark.ts'

/** Runs once before all files that use hosts. */
export async function setup(): Promise<() => Promise<void>> {
  await removeLeftHosts()
  return async () => {
    const left = await removeLeftHosts(markOf(process.pid))
    if (left > 0) console.log(`${left} hosts were left by their tests, and are removed`)
  }
}
