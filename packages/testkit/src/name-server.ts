import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'

type Addresses = readonly string[] | (() => readonly string[])

export interface NameServer {
  /** For settings that take name servers. */
  readonly address: string
  /** What was asked so far, such as `A example.com`. */
  readonly asked: readonly string[]
  close(): void
}

const types = { 1: 'A', 28: 'AAAA' } as const

/** A name server that knows these names, and may say something else each time it is asked for one. */
export async function startNameServer(names: Readonly<Record<string, Addresses>>): Promise<NameServer> {
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query)
    asked.push(`${types[type as keyof typeof types] ?? type} ${name}`)
    const known = names[name]
    // Both families are asked for; what changes from time to time changes with the first.
    const all = typeof known === 'function' ? (type === 1 ? known() : []) : (known ?? [])
    const found = all.filter((each) => (isIPv6(each) ? 28 : 1) === type)
    socket.send(answerOf(query, end, { type, found, is_known: known !== undefined }), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

interface Said {
  readonly type: number
  readonly found: readonly string[]
  readonly is_known: boolean
}

function answerOf(query: Buffer, end: number, { type, found, is_known }: Said): Buffer {
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(is_known ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(found.length, 6)
  head.writeUInt32BE(0, 8)
  const records = found.map((address) => {
    const data = bytesOf(address)
    const record = Buffer.alloc(12)
    // The name is the one of the question; nothing may be kept.
    record.writeUInt16BE(0xc00c, 0)
    record.writeUInt16BE(type, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt16BE(data.length, 10)
    return Buffer.concat([record, data])
  })
  return Buffer.concat([head, query.subarray(12, end), ...records])
}

function bytesOf(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number))
  const [left = '', right = ''] = address.split('::')
  const parts = (text: string) => text.split(':').filter(Boolean)
  const missing = 8 - parts(left).length - parts(right).length
  const all = [...parts(left), ...Array<string>(missing).fill('0'), ...parts(right)]
  return Buffer.from(all.flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]))
}
