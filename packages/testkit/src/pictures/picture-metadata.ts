import { segment } from './picture-jpeg.ts'

/** An EXIF block with an orientation, a location and a text. */
export function exif(orientation: number, text: string): Buffer {
  const description = Buffer.from(`${text}\0`, 'latin1')
  const entries = 3
  const gpsAt = 8 + 2 + entries * 12 + 4
  const textAt = gpsAt + 2 + 2 * 12 + 4
  const block = Buffer.alloc(textAt + 24 + description.length)
  block.write('MM\0*', 0, 'latin1')
  block.writeUInt32BE(8, 4)
  const entry = (at: number, tag: number, type: number, count: number, value: number) => {
    block.writeUInt16BE(tag, at)
    block.writeUInt16BE(type, at + 2)
    block.writeUInt32BE(count, at + 4)
    block.writeUInt32BE(value, at + 8)
  }
  block.writeUInt16BE(entries, 8)
  entry(10, 0x010e, 2, description.length, textAt + 24)
  entry(22, 0x0112, 3, 1, orientation * 0x10000)
  entry(34, 0x8825, 4, 1, gpsAt)
  block.writeUInt16BE(2, gpsAt)
  entry(gpsAt + 2, 1, 2, 2, 0x4e000000)
  entry(gpsAt + 14, 2, 5, 3, textAt)
  for (const [n, [top, bottom]] of [
    [48, 1],
    [51, 1],
    [3024, 100],
  ].entries()) {
    block.writeUInt32BE(top ?? 0, textAt + n * 8)
    block.writeUInt32BE(bottom ?? 1, textAt + n * 8 + 4)
  }
  description.copy(block, textAt + 24)
  return block
}

const app = (number: number, name: string, data: Buffer): Buffer =>
  segment(0xe0 + number, Buffer.concat([Buffer.from(name, 'latin1'), data]))

export const exifSegment = (orientation: number, text: string): Buffer =>
  app(1, 'Exif\0\0', exif(orientation, text))
export const xmpSegment = (text: string): Buffer =>
  app(
    1,
    'http://ns.adobe.com/xap/1.0/\0',
    Buffer.from(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><r>${text}</r></x:xmpmeta>`),
  )
export const iccSegment = (profile: Buffer): Buffer => app(2, 'ICC_PROFILE\0\x01\x01', profile)
export const commentSegment = (text: string): Buffer => segment(0xfe, Buffer.from(text, 'latin1'))
