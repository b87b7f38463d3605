import { readServiceFacts, repositoryRoot } from './facts.ts'
import type { PartName } from './part.ts'
import { makeParts } from './parts.ts'
import { signalAll } from './processes.ts'

/**
 * Signals every process of a part, for tests of what happens when it dies (SIGKILL) or hangs (SIGSTOP,
 * SIGCONT). Returns how many processes got the signal.
 */
export async function killPart(
  name: PartName,
  signal: NodeJS.Signals,
  root: string = repositoryRoot,
): Promise<number> {
  let count = 0
  for (const part of makeParts(readServiceFacts(root), [name])) count += await signalAll(part.match, signal)
  return count
}
