import { crc32, deflateSync } from 'node:zlib'

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const colours = { gray: [0, 1], rgb: [2, 3], palette: [3, 1], gray_alpha: [4, 2], rgba: [6, 4] } as const

export interface PngOptions {
  readonly width: number
  readonly height: number
  readonly colour?: keyof typeof colours
  readonly depth?: 8 | 16
  readonly interlaced?: boolean
  /** Samples of every pixel. */
  readonly fill?: readonly number[]
  /** Between the header and the pixels. */
  readonly before?: readonly Buffer[]
  /** Between the pixels and the end. */
  readonly after?: readonly Buffer[]
  /** In place of the compressed pixels. */
  readonly data?: Buffer
}

export function chunk(type: string, data: Buffer = Buffer.alloc(0), checksum?: number): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(checksum ?? crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** A picture of one colour, made byte by byte, so that each of them can be made wrong. */
export function png(options: PngOptions): Buffer {
  const { width, height, colour = 'rgb', depth = 8, interlaced = false, before = [], after = [] } = options
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colours[colour][0], 0, 0, interlaced ? 1 : 0], 8)
  const data = options.data ?? deflateSync(pixelsOf(options, interlaced))
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    ...before,
    chunk('IDAT', data),
    ...after,
    chunk('IEND'),
  ])
}

/** Where the seven passes of an interlaced picture begin, and how far apart their pixels are. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

function pixelsOf(options: PngOptions, interlaced: boolean): Buffer {
  const { width, height } = options
  if (!interlaced) return rows(options, width, height)
  return Buffer.concat(
    passes.map(([x, y, dx, dy]) => rows(options, Math.ceil((width - x) / dx), Math.ceil((height - y) / dy))),
  )
}

function rows({ colour = 'rgb', depth = 8, fill }: PngOptions, width: number, height: number): Buffer {
  if (width <= 0 || height <= 0) return Buffer.alloc(0)
  const samples = colours[colour][1]
  const row = Buffer.alloc(1 + (width * samples * depth) / 8)
  if (fill) {
    const pixel = Buffer.from(depth === 16 ? fill.flatMap((value) => [value, value]) : fill)
    row.fill(pixel, 1)
  }
  return fill ? Buffer.concat(Array.from({ length: height }, () => row)) : Buffer.alloc(row.length * height)
}
