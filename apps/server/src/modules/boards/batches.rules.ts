export interface Sized {
  readonly id: string
  readonly bytes: number
}

const batchBytes = 1024 * 1024

/** Neighbours that are read together: not more than a megabyte, or one alone. */
export function* batchesOf(all: readonly Sized[]): Generator<string[]> {
  let batch: string[] = []
  let bytes = 0
  for (const each of all) {
    if (batch.length > 0 && bytes + each.bytes > batchBytes) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(each.id)
    bytes += each.bytes
  }
  if (batch.length > 0) yield batch
}
