import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { StreamReader } from './stream-reader.ts'

/** Waits until all have read the last entry, and closes them. None may have missed or repeated one, nor started anew. */
export async function compareStreams(
  readers: readonly StreamReader[],
  all: readonly string[],
): Promise<readonly [number, string]> {
  const last = all.at(-1)
  await waitFor(() => readers.every(({ seen }) => seen.at(-1) === last), 30_000).catch(() => {})
  const resumed = readers.reduce((sum, each) => sum + each.resumed, 0)
  const resets = readers.reduce((sum, each) => sum + each.resets, 0)
  const wrong = readers.filter(
    ({ seen }) => seen.join() !== all.slice(-seen.length).join() || seen.length === 0,
  )
  await Promise.all(readers.map((each) => each.close()))
  const note = `${all.length} entries, ${readers.length} readers, resumed ${resumed} times, ${resets} resets`
  if (wrong.length > 0 || resets > 0) {
    const { seen = [], refused } = wrong[0] ?? {}
    const should = all.slice(-seen.length)
    const at = seen.findIndex((id, index) => id !== should[index])
    throw new Error(
      `${wrong.length} readers missed or repeated entries (${note}): ${seen.length} seen, ${seen[at]} instead of ${should[at]} at ${at}, ${refused}`,
    )
  }
  return [all.length, note]
}
