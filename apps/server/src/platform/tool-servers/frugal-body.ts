import { setImmediate as nextTurn } from 'node:timers/promises'
import { OutboundFault } from '#platform/outbound/outbound-call.ts'

const maxParts = 4000
const maxDepth = 200
const maxLines = 3000
const linesAtATime = 16

const [lineFeed, carriageReturn, quote, backslash] = [10, 13, 34, 92]
const [opensList, closesList, opensObject, closesObject] = [91, 93, 123, 125]

/**
 * Counts what a reader of JSON would have to look at. Few bytes can mean much work: ten thousand small objects, each of which
 * is compared with every shape it could have.
 */
class Parts {
  #count = 0
  #depth = 0
  #isText = false
  #isEscaped = false

  add(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === quote) this.#isText = !this.#isText
    else if (this.#isText) this.#isEscaped = byte === backslash
    else if (byte === opensList || byte === opensObject) this.#open()
    else if (byte === closesList || byte === closesObject) this.#depth -= 1
  }

  /** No text goes on behind a line of an event. */
  endLine(): void {
    this.#isText = false
    this.#isEscaped = false
    this.#depth = 0
  }

  #open(): void {
    this.#count += 1
    this.#depth += 1
    if (this.#count > maxParts || this.#depth > maxDepth) throw new OutboundFault('too_large')
  }
}

/** A whole message, which is to be one and no list of them. */
export async function messageIn(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = []
  const parts = new Parts()
  for await (const piece of body) {
    pieces.push(piece)
    for (const byte of piece) parts.add(byte)
  }
  const whole = Buffer.concat(pieces)
  // Lists of messages are in neither version of the protocol, and the client would still read them.
  if (/^\s*\[/.test(whole.toString('latin1', 0, 100))) throw new OutboundFault('protocol')
  return whole
}

/**
 * Events as whole lines, a few in each turn of the process: whoever reads them looks through an unfinished line again with
 * every piece of it, and goes on without a break for as long as there are more.
 */
export async function* eventLines(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let unfinished: Buffer[] = []
  let lines = 0
  const parts = new Parts()
  for await (const piece of body) {
    let from = 0
    for (const [at, byte] of piece.entries()) {
      parts.add(byte)
      if (byte !== lineFeed && byte !== carriageReturn) continue
      parts.endLine()
      lines += 1
      if (lines > maxLines) throw new OutboundFault('too_large')
      const isTurn = lines % linesAtATime === 0
      if (!isTurn && piece.indexOf(lineFeed, at + 1) >= 0) continue
      yield Buffer.concat([...unfinished, piece.subarray(from, at + 1)])
      unfinished = []
      from = at + 1
      if (isTurn) await nextTurn()
    }
    if (from < piece.length) unfinished.push(piece.subarray(from))
  }
  if (unfinished.length > 0) yield Buffer.concat(unfinished)
}
