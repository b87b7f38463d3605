/** A message that was sent, with what decides whether it is known. */
export interface Sent {
  readonly id: string | null
  readonly digest: Buffer
}
interface Known {
  readonly seq: number
  readonly digest: Buffer
}

interface Sorted<Message> {
  readonly fresh: readonly Message[]
  readonly unchanged: number
  /** Numbers of stored messages with another text. */
  readonly differing: readonly number[]
}

/** A range: message by message at its number. `known` are those that are stored within it, in their order. */
export function sortedByNumber<Message extends Sent>(
  sent: readonly Message[],
  known: readonly Known[],
): Sorted<Message> {
  const differing = known.filter(({ digest }, at) => !sent[at]?.digest.equals(digest)).map(({ seq }) => seq)
  return { fresh: sent.slice(known.length), unchanged: known.length - differing.length, differing }
}

/**
 * Records of a file have ids. Which of them are part of the conversation may change as the file grows, so numbers say
 * nothing there. One that comes twice counts once.
 */
export function sortedById<Message extends Sent & { readonly id: string }>(
  sent: readonly Message[],
  known: readonly (Known & { readonly native_id: string })[],
): Sorted<Message> {
  const stored = new Map(known.map((each) => [each.native_id, each]))
  const fresh = new Map<string, Message>()
  const differing: number[] = []
  for (const message of sent) {
    const found = stored.get(message.id)
    if (!found && !fresh.has(message.id)) fresh.set(message.id, message)
    if (found && !found.digest.equals(message.digest)) differing.push(found.seq)
  }
  const unchanged = sent.length - fresh.size - differing.length
  return { fresh: [...fresh.values()], unchanged, differing }
}

/** Counts by reason. */
export function summed(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const each of counts)
    for (const [reason, count] of Object.entries(each)) sums[reason] = (sums[reason] ?? 0) + count
  return sums
}
