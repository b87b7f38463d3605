import { Bits } from './picture-bits.ts'

export interface JpegOptions {
  readonly width: number
  readonly height: number
  /** One value from 0 to 255 for each component: grey, YCbCr or CMYK. */
  readonly fill?: readonly number[]
  readonly progressive?: boolean
  /** One scan for each component, which a decoder has to hold as it does a progressive picture. */
  readonly separate?: boolean
  /** Scans of a progressive picture that add nothing, after the first. */
  readonly empty_scans?: number
  /** Between the start and the tables. */
  readonly before?: readonly Buffer[]
  /** After the end of the picture. */
  readonly after?: Buffer
}

export function segment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(data.length + 2, 2)
  return Buffer.concat([head, data])
}

const start = Buffer.from([0xff, 0xd8])
const end = Buffer.from([0xff, 0xd9])
// Every DC value in steps of 8, which makes a quantised value the distance from grey.
const quantisation = segment(0xdb, Buffer.from([0, 8, ...Array.from({ length: 63 }, () => 1)]))
// DC: category 0 is the bit 0, categories 1 to 8 have five bits. AC: the end of a block, or of 2^14 blocks.
const dcTable = segment(0xc4, Buffer.from([0x00, 1, 0, 0, 0, 8, ...zeros(11), 0, 1, 2, 3, 4, 5, 6, 7, 8]))
const acTable = segment(0xc4, Buffer.from([0x10, 1, 1, ...zeros(14), 0x00, 0xe0]))

/** A picture of one colour, made byte by byte, so that each of them can be made wrong. */
export function jpeg(options: JpegOptions): Buffer {
  const { width, height, fill = [128], progressive = false, before = [], after } = options
  const ids = fill.map((_, n) => n + 1)
  const frame = Buffer.from([8, 0, 0, 0, 0, fill.length, ...ids.flatMap((id) => [id, 0x11, 0])])
  frame.writeUInt16BE(height, 1)
  frame.writeUInt16BE(width, 3)
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8)
  const empty = Array.from({ length: options.empty_scans ?? 0 }, (_, n) =>
    emptyScan(ids[n % ids.length] ?? 1, blocks),
  )
  return Buffer.concat([
    start,
    ...before,
    // Tells that four components are CMYK and three are YCbCr.
    ...(fill.length > 1
      ? [segment(0xee, Buffer.from(`Adobe\0\x64\0\0\0\0${fill.length === 3 ? '\x01' : '\0'}`, 'latin1'))]
      : []),
    quantisation,
    segment(progressive ? 0xc2 : 0xc0, frame),
    dcTable,
    acTable,
    ...(options.separate
      ? ids.flatMap((id, n) => firstScan([id], [fill[n] ?? 0], blocks, progressive))
      : firstScan(ids, fill, blocks, progressive)),
    ...empty,
    end,
    after ?? Buffer.alloc(0),
  ])
}

function firstScan(ids: readonly number[], fill: readonly number[], blocks: number, progressive: boolean) {
  const range = progressive ? [0, 0, 0] : [0, 63, 0]
  const head = segment(0xda, Buffer.from([ids.length, ...ids.flatMap((id) => [id, 0]), ...range]))
  const bits = new Bits('high')
  for (const value of fill) {
    putDifference(bits, value - 128)
    if (!progressive) bits.put(0, 1)
  }
  // All other blocks are as the first: nothing but zeros.
  const rest = (blocks - 1) * fill.length * (progressive ? 1 : 2)
  for (let left = rest; left > 0; left -= 24) bits.put(0, Math.min(left, 24))
  return [head, bits.end()]
}

function putDifference(bits: Bits, value: number): void {
  const size = value === 0 ? 0 : 32 - Math.clz32(Math.abs(value))
  if (size === 0) bits.put(0, 1)
  else bits.put(0b10000 + size - 1, 5)
  bits.put(value < 0 ? value + (1 << size) - 1 : value, size)
}

function emptyScan(id: number, blocks: number): Buffer {
  const bits = new Bits('high')
  for (let left = blocks; left > 0; ) {
    const run = Math.min(left, 2 ** 15 - 1)
    if (run < 2 ** 14) {
      for (let n = 0; n < run; n += 1) bits.put(0, 1)
    } else {
      bits.put(0b10, 2)
      bits.put(run - 2 ** 14, 14)
    }
    left -= run
  }
  return Buffer.concat([segment(0xda, Buffer.from([1, id, 0, 1, 63, 0])), bits.end()])
}

function zeros(count: number): number[] {
  return Array.from({ length: count }, () => 0)
}
