import { Readable } from 'node:stream'

/** A list whose items are read a few at a time, so that its longest answer is never held as a whole. */
export interface LongList<Item = unknown> {
  /** What stands beside the items. */
  readonly head: Readonly<Record<string, unknown>>
  /** What the items are called. */
  readonly name?: string
  /** Items are `[key, value]` of an object in place of a list. */
  readonly is_map?: boolean
  /** Each short enough to be held. */
  readonly batches: AsyncIterable<readonly Item[]>
}

export class ListAnswer {
  readonly list: LongList

  constructor(list: LongList) {
    this.list = list
  }

  /** Of rows that are short each and many together: they are held, and their text is not. */
  static of(
    { name = 'items', ...head }: LongList['head'] & { readonly name?: string },
    rows: readonly unknown[],
  ) {
    return new ListAnswer({ head, name, batches: slicesOf(rows) })
  }

  /** The same for an object with many keys. */
  static map(
    { name = 'items', ...head }: LongList['head'] & { readonly name?: string },
    rows: ReadonlyMap<string, unknown>,
  ) {
    return new ListAnswer({ head, name, is_map: true, batches: slicesOf([...rows]) })
  }
}

/** What an answer may hold of its own text; beyond that it goes out as fast as the caller takes it. */
const heldBytes = 1024 * 1024

const sliceLength = 250

async function* slicesOf(rows: readonly unknown[]) {
  for (let at = 0; at < rows.length; at += sliceLength) yield rows.slice(at, at + sliceLength)
}

type Serialise = (body: Readonly<Record<string, unknown>>) => string

/** The text of a short list, or a stream of that of a long one, which holds one batch at a time. */
export async function textOfList(list: LongList, serialise: Serialise): Promise<string | Readable> {
  const { before, after, pieces } = partsOf(list, serialise)
  let held = before
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) {
    held += piece.value
    if (Buffer.byteLength(held) <= heldBytes) continue
    return Readable.from(continued(held, pieces, after), { highWaterMark: 1 })
  }
  return held + after
}

/** The text of a list as far as whole batches fit. */
export async function beginningOfList(
  list: LongList,
  mostBytes: number,
  serialise: Serialise,
): Promise<{ text: string; is_cut: boolean }> {
  const { before, after, pieces } = partsOf(list, serialise)
  let held = before
  let bytes = 0
  for await (const piece of pieces) {
    bytes += Buffer.byteLength(piece)
    if (bytes > mostBytes && held !== before) return { text: held + after, is_cut: true }
    held += piece
  }
  return { text: held + after, is_cut: false }
}

function partsOf({ head, batches, name = 'items', is_map = false }: LongList, serialise: Serialise) {
  const bodyOf = (items: readonly unknown[]) => ({ ...head, [name]: is_map ? asObject(items) : items })
  const empty = serialise(bodyOf([]))
  const beginning = `"${name}":${is_map ? '{' : '['}`
  const at = empty.indexOf(beginning) + beginning.length
  const [before, after] = [empty.slice(0, at), empty.slice(at)]
  const itemsOf = (items: readonly unknown[]) => serialise(bodyOf(items)).slice(at, -after.length)
  return { before, after, pieces: piecesOf(batches, itemsOf) }
}

const asObject = (items: readonly unknown[]) => Object.fromEntries(items as readonly [string, unknown][])

async function* piecesOf(
  batches: LongList['batches'],
  itemsOf: (items: readonly unknown[]) => string,
): AsyncGenerator<string> {
  let isFirst = true
  for await (const items of batches) {
    if (items.length === 0) continue
    yield `${isFirst ? '' : ','}${itemsOf(items)}`
    isFirst = false
  }
}

async function* continued(held: string, pieces: AsyncIterable<string>, after: string) {
  yield held
  yield* pieces
  yield after
}
