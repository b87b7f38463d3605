import type { HostilePicture } from './hostile-picture.ts'
import { gif } from './picture-gif.ts'
import { jpeg, segment } from './picture-jpeg.ts'
import { chunk, png } from './picture-png.ts'

const broken = (name: string, bytes: Buffer): HostilePicture => ({ name, bytes, answer: 'wrong type' })
const soundPng = () => png({ width: 300, height: 200, fill: [200, 100, 50] })
const soundJpeg = () => jpeg({ width: 300, height: 200, fill: [200, 100, 150] })
const soundGif = () => gif({ width: 300, height: 200 })

/** The bytes with one of them changed. */
function bent(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 0xff
  return copy
}

const cut = (kind: string, bytes: Buffer, ends: readonly number[]): HostilePicture[] =>
  ends.map((end) => broken(`${kind} cut after ${end} bytes`, bytes.subarray(0, end)))

/** Files that begin as a picture and are none. */
export const brokenPictures = (): HostilePicture[] => {
  const [pngBytes, jpegBytes, gifBytes] = [soundPng(), soundJpeg(), soundGif()]
  const dataAt = pngBytes.indexOf('IDAT')
  const scanAt = jpegBytes.indexOf(Buffer.from([0xff, 0xda]))
  return [
    ...cut('PNG', pngBytes, [8, 20, 33, dataAt + 4, dataAt + 60]),
    ...cut('JPEG', jpegBytes, [3, 20, scanAt, scanAt + 30, Math.floor((scanAt + jpegBytes.length) / 2)]),
    ...cut('GIF', gifBytes, [6, 13, 30, 60, Math.floor(gifBytes.length / 2)]),
    broken('PNG whose header has a wrong checksum', bent(pngBytes, 29)),
    broken('PNG whose pixels have a wrong checksum', bent(pngBytes, dataAt + 40)),
    broken('PNG without width', png({ width: 0, height: 9 })),
    broken(
      'PNG of a colour type that does not exist',
      Buffer.concat([
        pngBytes.subarray(0, 8),
        chunk('IHDR', Buffer.from([0, 0, 0, 9, 0, 0, 0, 9, 8, 5, 0, 0, 0])),
        pngBytes.subarray(33),
      ]),
    ),
    broken('PNG with a palette that is missing', png({ width: 9, height: 9, colour: 'palette' })),
    broken('PNG without pixels', png({ width: 9, height: 9, data: Buffer.alloc(0) })),
    broken('PNG whose pixels are nonsense', png({ width: 9, height: 9, data: Buffer.alloc(99, 0xab) })),
    broken(
      'PNG with a chunk longer than the file',
      Buffer.concat([pngBytes.subarray(0, 33), Buffer.from([0x7f, 0xff, 0xff, 0xff]), Buffer.from('tEXt')]),
    ),
    broken(
      'JPEG without a frame',
      Buffer.concat([jpegBytes.subarray(0, 2), segment(0xfe, Buffer.from('x')), Buffer.from([0xff, 0xd9])]),
    ),
    broken('JPEG without height', jpeg({ width: 9, height: 0 })),
    broken(
      'JPEG whose tables are missing',
      Buffer.concat([jpegBytes.subarray(0, 2), jpegBytes.subarray(scanAt)]),
    ),
    broken('GIF without a frame', gif({ width: 9, height: 9, frames: [] })),
    broken(
      'GIF whose pixels are nonsense',
      gif({ width: 90, height: 90, frames: [{ width: 90, height: 90, data: Buffer.alloc(99, 0xff) }] }),
    ),
    broken(
      'first bytes of a PNG before nonsense',
      Buffer.concat([pngBytes.subarray(0, 8), Buffer.alloc(500, 0x5a)]),
    ),
    broken(
      'first bytes of a JPEG before nonsense',
      Buffer.concat([jpegBytes.subarray(0, 3), Buffer.alloc(500, 0x5a)]),
    ),
    broken(
      'first bytes of a GIF before nonsense',
      Buffer.concat([gifBytes.subarray(0, 6), Buffer.alloc(500, 0x5a)]),
    ),
  ]
}
