import { createHash } from 'node:crypto'
import { type OwnTexts, shinglesOf } from '@crewhall/contracts/memory/own-texts.ts'
import { listOwnTexts } from '#modules/memory'
import type { FindOwnTexts } from './intake.service.ts'
import { Turns } from './turns.ts'

/** Of all agents together; about 60 bytes each. */
const mostKept = 200_000

interface Kept {
  /** Of the texts that the fingerprints were made of. */
  readonly digest: string
  readonly own: OwnTexts
}

/**
 * How texts of an agent's memories are recognised when they come back in a conversation. Fingerprints are kept until a
 * memory changes: they take longer than reading what was sent, and conversations come more often than memories.
 */
export function createFindOwnTexts(make = fingerprintsOf, most = mostKept): FindOwnTexts {
  const kept = new Map<string, Kept>()
  let size = 0
  const forget = (key: string) => {
    size -= kept.get(key)?.own.shingles.size ?? 0
    kept.delete(key)
  }
  return async (ctx, agent_id) => {
    const { memory_ids, texts } = await listOwnTexts(ctx, agent_id)
    const key = `${ctx.brandId} ${agent_id}`
    const digest = digestOf([...memory_ids, ...texts])
    const before = kept.get(key)
    const own = before?.digest === digest ? before.own : { memory_ids, shingles: await make(texts) }
    forget(key)
    kept.set(key, { digest, own })
    size += own.shingles.size
    // The one that nobody has asked for longest.
    for (const oldest of kept.keys()) {
      if (size <= most) break
      forget(oldest)
    }
    return own
  }
}

function digestOf(texts: readonly string[]): string {
  const digest = createHash('sha256')
  for (const text of texts) digest.update(text).update('\0')
  return digest.digest('base64')
}

async function fingerprintsOf(texts: readonly string[]): Promise<ReadonlySet<string>> {
  const turns = new Turns()
  const shingles = new Set<string>()
  for (const text of texts) {
    await turns.next()
    for (const shingle of shinglesOf(text)) shingles.add(shingle)
  }
  return shingles
}
