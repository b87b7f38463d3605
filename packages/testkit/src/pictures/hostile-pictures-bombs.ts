import { deflateSync } from 'node:zlib'
import { canary, type HostilePicture, jpegOf } from './hostile-picture.ts'
import { gif } from './picture-gif.ts'
import { jpeg } from './picture-jpeg.ts'
import { chunk, png } from './picture-png.ts'

const maxBytes = 5_242_880
const colour = [200, 100, 150]

const refused = (name: string, bytes: Buffer): HostilePicture => ({ name, bytes, answer: 'wrong type' })
const filledTo = (bytes: number, picture: Buffer): Buffer =>
  Buffer.concat([picture, Buffer.alloc(bytes - picture.length, canary)])

/** Small files that become large ones. */
export const bombs = (): HostilePicture[] => [
  ...pixelBombs(),
  ...packedBombs(),
  ...slowPictures(),
  ...largeFiles(),
]

const few = deflateSync(Buffer.alloc(1000))

const pixelBombs = (): HostilePicture[] => [
  refused('PNG of 50,000 by 50,000', png({ width: 50_000, height: 50_000, data: few })),
  refused('PNG of the largest size there is', png({ width: 0x7fffffff, height: 0x7fffffff, data: few })),
  refused(
    'GIF of 65,535 by 65,535',
    gif({ width: 65_535, height: 65_535, frames: [{ width: 65_535, height: 65_535, data: few }] }),
  ),
  // Decoders take the frame for the picture when nothing fills the screen.
  {
    name: 'GIF of 65,535 by 65,535 with a small frame',
    bytes: gif({ width: 65_535, height: 65_535, frames: [{ width: 9, height: 9 }] }),
    answer: jpegOf(9, 9),
  },
  refused(
    'GIF whose frame is larger than its screen',
    gif({ width: 10, height: 10, frames: [{ width: 60_000, height: 60_000, data: Buffer.from([4]) }] }),
  ),
  refused('JPEG of 65,500 by 65,500', headerOf(jpeg({ width: 65_500, height: 65_500 }))),
  refused('PNG of 50,006,112 pixels', png({ width: 7072, height: 7071, colour: 'gray', data: few })),
  refused('GIF of 37,502,700 pixels, which would be held in 150 MB', gif({ width: 6150, height: 6098 })),
  refused('JPEG of 100,020,001 pixels', jpeg({ width: 10_001, height: 10_001 })),
  refused('PNG of 16,385 across, whose lines are too long to keep', png({ width: 16_385, height: 3000 })),
  { name: 'PNG of 49,998,920 pixels', bytes: png({ width: 7060, height: 7082 }), answer: jpegOf(510, 512) },
  {
    name: 'PNG of 16,384 across',
    bytes: png({ width: 16_384, height: 3000, colour: 'gray' }),
    answer: jpegOf(512, 94),
  },
  {
    name: 'JPEG of 99,990,000 pixels',
    bytes: jpeg({ width: 9999, height: 10_000, fill: colour }),
    answer: jpegOf(512, 512),
  },
  refused(
    'JPEG of 35 megapixels in a scan for each colour, which would be held in 210 MB',
    jpeg({ width: 7000, height: 5000, fill: colour, separate: true }),
  ),
  {
    name: 'interlaced PNG of 24,999,999 pixels',
    bytes: png({ width: 4999, height: 5001, colour: 'gray', interlaced: true }),
    answer: jpegOf(512, 512),
  },
  { name: 'GIF of 37,454,000 pixels', bytes: gif({ width: 6100, height: 6140 }), answer: jpegOf(509, 512) },
  {
    name: 'progressive JPEG of 24,999,999 pixels',
    bytes: jpeg({ width: 4999, height: 5001, fill: colour, progressive: true }),
    answer: jpegOf(511, 512),
  },
  refused(
    'progressive JPEG in CMYK of 24,999,999 pixels, which would be held in 200 MB',
    jpeg({ width: 4999, height: 5001, fill: [...colour, 9], progressive: true }),
  ),
]

const packed = deflateSync(Buffer.alloc(7_900_000, 'a'), { level: 9 })
const packedText = chunk('zTXt', Buffer.concat([Buffer.from('a\0\0'), packed]))
const packedUtf8 = chunk('iTXt', Buffer.concat([Buffer.from('a\0\x01\0\0\0', 'latin1'), packed]))
const times = (count: number, part: Buffer): Buffer[] => Array.from({ length: count }, () => part)

const packedBombs = (): HostilePicture[] => [
  {
    name: 'PNG with packed texts of 950 MB',
    bytes: png({ width: 30, height: 20, before: times(120, packedText) }),
    answer: jpegOf(30, 20),
  },
  {
    name: 'PNG with packed international texts of 950 MB',
    bytes: png({ width: 30, height: 20, before: times(120, packedUtf8) }),
    answer: jpegOf(30, 20),
  },
  {
    name: 'PNG with a packed colour profile of 200 MB',
    bytes: png({
      width: 30,
      height: 20,
      before: [
        chunk(
          'iCCP',
          Buffer.concat([Buffer.from('a\0\0'), deflateSync(Buffer.alloc(200_000_000), { level: 9 })]),
        ),
      ],
    }),
    answer: jpegOf(30, 20),
  },
  {
    name: 'PNG with packed pixels of 200 MB too many',
    bytes: png({ width: 30, height: 20, data: deflateSync(Buffer.alloc(200_000_000), { level: 9 }) }),
    answer: jpegOf(30, 20),
  },
]

const slowPictures = (): HostilePicture[] => [
  {
    name: 'GIF with 40,000 frames',
    bytes: gif({
      width: 100,
      height: 100,
      frames: [
        { width: 100, height: 100 },
        ...Array.from({ length: 39_999 }, () => ({ width: 9, height: 9 })),
      ],
    }),
    answer: jpegOf(100, 100),
  },
  refused(
    'progressive JPEG with 5,000 scans over 24,999,999 pixels',
    jpeg({ width: 4999, height: 5001, fill: colour, progressive: true, empty_scans: 5000 }),
  ),
]

const largeFiles = (): HostilePicture[] => [
  {
    name: 'JPEG of 5,242,880 bytes',
    bytes: filledTo(maxBytes, jpeg({ width: 30, height: 20 })),
    answer: jpegOf(30, 20),
  },
  {
    name: 'JPEG of 5,242,881 bytes',
    bytes: filledTo(maxBytes + 1, jpeg({ width: 30, height: 20 })),
    answer: 'too large',
  },
  { name: 'nonsense of 5,242,880 bytes', bytes: Buffer.alloc(maxBytes, canary), answer: 'wrong type' },
  { name: 'nonsense of 5,242,881 bytes', bytes: Buffer.alloc(maxBytes + 1, canary), answer: 'too large' },
  { name: 'nonsense of 12 MB', bytes: Buffer.alloc(12_000_000, canary), answer: 'too large' },
]

/** The scan of so large a picture would be megabytes; nobody should get as far as to miss it. */
function headerOf(picture: Buffer): Buffer {
  return picture.subarray(0, 2000)
}
