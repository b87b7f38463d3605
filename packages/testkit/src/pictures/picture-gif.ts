import { Bits } from './picture-bits.ts'

interface Frame {
  readonly left?: number
  readonly top?: number
  readonly width: number
  readonly height: number
  readonly interlaced?: boolean
  /** In place of the compressed pixels. */
  readonly data?: Buffer
}

export interface GifOptions {
  readonly width: number
  readonly height: number
  readonly version?: '87a' | '89a'
  /** Three colours; pixels have the first one. */
  readonly colours?: readonly (readonly [number, number, number])[]
  /** Which colour is none. */
  readonly transparent?: number
  readonly frames?: readonly Frame[]
  /** Between the header and the frames. */
  readonly before?: readonly Buffer[]
  /** After the end of the picture. */
  readonly after?: Buffer
}

/** A picture of one colour, made byte by byte, so that each of them can be made wrong. */
export function gif(options: GifOptions): Buffer {
  const { width, height, version = '89a', before = [], after, transparent } = options
  const colours = options.colours ?? [[200, 30, 30]]
  const screen = Buffer.alloc(7)
  screen.writeUInt16LE(width, 0)
  screen.writeUInt16LE(height, 2)
  screen[4] = 0x91
  const table = Buffer.alloc(12)
  for (const [n, colour] of colours.entries()) table.set(colour, n * 3)
  const frames = (options.frames ?? [{ width, height }]).flatMap((frame) => [
    control(transparent),
    image(frame),
  ])
  return Buffer.concat([
    Buffer.from(`GIF${version}`),
    screen,
    table,
    ...before,
    ...frames,
    Buffer.from([0x3b]),
    after ?? Buffer.alloc(0),
  ])
}

export const comment = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x21, 0xfe]), blocks(Buffer.from(text, 'latin1'))])

const control = (transparent: number | undefined): Buffer =>
  Buffer.from([0x21, 0xf9, 4, transparent === undefined ? 4 : 5, 10, 0, transparent ?? 0, 0])

function image({ left = 0, top = 0, width, height, interlaced, data }: Frame): Buffer {
  const head = Buffer.alloc(10)
  head[0] = 0x2c
  for (const [n, value] of [left, top, width, height].entries()) head.writeUInt16LE(value, 1 + n * 2)
  head[9] = interlaced ? 0x40 : 0
  return Buffer.concat([head, Buffer.from([2]), blocks(data ?? pressed(width * height))])
}

function blocks(data: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < data.length; at += 255) {
    const part = data.subarray(at, at + 255)
    parts.push(Buffer.from([part.length]), part)
  }
  return Buffer.concat([...parts, Buffer.from([0])])
}

const clear = 4
const stop = 5
const tableEnd = 4095

/** LZW of so many zeros: the n-th code after a clear stands for n of them. */
function pressed(pixels: number): Buffer {
  const bits = new Bits('low')
  let left = pixels
  bits.put(clear, 3)
  while (left > 0) {
    let size = 3
    let next = 6
    for (let run = 1; left > 0 && next < tableEnd; run += 1) {
      const length = Math.min(run, left)
      bits.put(length === 1 ? 0 : 4 + length, size)
      left -= length
      if (run > 1) next += 1
      if (next === 2 ** size && size < 12) size += 1
    }
    bits.put(left > 0 ? clear : stop, size)
  }
  return bits.end()
}
