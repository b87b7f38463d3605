import { canary, type HostilePicture, jpegOf, pngOf } from './hostile-picture.ts'
import { comment, gif } from './picture-gif.ts'
import { jpeg, segment } from './picture-jpeg.ts'
import { commentSegment, exif, exifSegment, iccSegment, xmpSegment } from './picture-metadata.ts'
import { chunk, png } from './picture-png.ts'

const text = (words: string) => chunk('tEXt', Buffer.from(`Comment\0${words}`, 'latin1'))
const script = `<script>alert("${canary}")</script>`
const colour = [200, 100, 150]

/** Sound pictures with something unusual about them. All are taken, and nothing but their pixels is kept. */
export const oddPictures = (): HostilePicture[] => [...oddPngs(), ...oddJpegs(), ...oddGifs()]

const palette = [chunk('PLTE', Buffer.from([10, 20, 30, 200, 100, 50])), chunk('tRNS', Buffer.from([0, 255]))]
/** Of an animated PNG: two frames, both of the whole size. */
const animation = [
  chunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])),
  chunk('fcTL', Buffer.from([0, 0, 0, 0, 0, 0, 0, 30, 0, 0, 0, 20, ...Array.from({ length: 14 }, () => 0)])),
]

const oddPngs = (): HostilePicture[] => [
  { name: 'PNG of one pixel', bytes: png({ width: 1, height: 1 }), answer: jpegOf(1, 1) },
  { name: 'PNG in grey', bytes: png({ width: 30, height: 20, colour: 'gray' }), answer: jpegOf(30, 20) },
  {
    name: 'PNG with 16 bits and half transparent',
    bytes: png({ width: 30, height: 20, colour: 'rgba', depth: 16, fill: [9, 99, 199, 128] }),
    answer: pngOf(30, 20),
  },
  {
    name: 'PNG with an alpha channel that hides nothing',
    bytes: png({ width: 30, height: 20, colour: 'gray_alpha', fill: [9, 255] }),
    answer: jpegOf(30, 20),
  },
  {
    name: 'interlaced PNG',
    bytes: png({ width: 31, height: 21, interlaced: true, fill: colour }),
    answer: jpegOf(31, 21),
  },
  {
    name: 'PNG with a palette and transparency',
    bytes: png({ width: 30, height: 20, colour: 'palette', before: palette }),
    answer: pngOf(30, 20),
  },
  {
    name: 'animated PNG',
    bytes: png({ width: 30, height: 20, before: animation, after: [chunk('fdAT', Buffer.alloc(40, 7))] }),
    answer: jpegOf(30, 20),
  },
  {
    name: 'PNG with a position and a turn in its EXIF',
    bytes: png({ width: 40, height: 20, before: [chunk('eXIf', exif(6, canary))] }),
    answer: jpegOf(20, 40),
  },
  {
    name: 'PNG with a script in a text, whose checksum is wrong',
    bytes: png({
      width: 30,
      height: 20,
      before: [text(script), chunk('tEXt', Buffer.from(`a\0${canary}`), 1)],
    }),
    answer: jpegOf(30, 20),
  },
  { name: 'PNG of 1 by 60,000', bytes: png({ width: 1, height: 60_000 }), answer: jpegOf(1, 512) },
  { name: 'PNG of 60,000 by 1', bytes: png({ width: 60_000, height: 1 }), answer: jpegOf(512, 1) },
  {
    name: 'PNG with a chunk that nobody knows',
    bytes: png({ width: 30, height: 20, before: [chunk('caNy', Buffer.from(canary))] }),
    answer: jpegOf(30, 20),
  },
]

const oddJpegs = (): HostilePicture[] => [
  { name: 'JPEG in grey', bytes: jpeg({ width: 30, height: 20 }), answer: jpegOf(30, 20) },
  {
    name: 'progressive JPEG',
    bytes: jpeg({ width: 30, height: 20, fill: colour, progressive: true, empty_scans: 9 }),
    answer: jpegOf(30, 20),
  },
  {
    name: 'JPEG in CMYK',
    bytes: jpeg({ width: 30, height: 20, fill: [20, 200, 100, 220] }),
    answer: jpegOf(30, 20),
  },
  {
    name: 'JPEG with a position and a turn in its EXIF',
    bytes: jpeg({ width: 40, height: 20, fill: colour, before: [exifSegment(6, canary)] }),
    answer: jpegOf(20, 40),
  },
  {
    name: 'JPEG with XMP and a script in a comment',
    bytes: jpeg({ width: 30, height: 20, before: [xmpSegment(canary), commentSegment(script)] }),
    answer: jpegOf(30, 20),
  },
  {
    name: 'JPEG with a colour profile of nonsense',
    bytes: jpeg({
      width: 30,
      height: 20,
      fill: colour,
      before: [iccSegment(Buffer.from(canary.repeat(200)))],
    }),
    answer: jpegOf(30, 20),
  },
  {
    name: 'JPEG with EXIF of nonsense',
    bytes: jpeg({
      width: 30,
      height: 20,
      before: [segment(0xe1, Buffer.from(`Exif\0\0MM\0*\xff\xff\xff\xff${canary}`, 'latin1'))],
    }),
    answer: jpegOf(30, 20),
  },
  {
    name: 'two JPEGs in one file',
    bytes: jpeg({ width: 30, height: 20, after: jpeg({ width: 90, height: 90 }) }),
    answer: jpegOf(30, 20),
  },
  {
    name: 'JPEG that is larger than what is kept',
    bytes: jpeg({ width: 2048, height: 1024 }),
    answer: jpegOf(512, 256),
  },
]

const oddGifs = (): HostilePicture[] => [
  { name: 'GIF of one pixel', bytes: gif({ width: 1, height: 1 }), answer: jpegOf(1, 1) },
  {
    name: 'GIF that says it has no size',
    bytes: gif({ width: 0, height: 0, frames: [{ width: 0, height: 0 }] }),
    answer: jpegOf(1, 1),
  },
  { name: 'GIF of 1987', bytes: gif({ width: 30, height: 20, version: '87a' }), answer: jpegOf(30, 20) },
  { name: 'transparent GIF', bytes: gif({ width: 30, height: 20, transparent: 0 }), answer: pngOf(30, 20) },
  {
    name: 'interlaced GIF',
    bytes: gif({ width: 30, height: 20, frames: [{ width: 30, height: 20, interlaced: true }] }),
    answer: jpegOf(30, 20),
  },
  {
    name: 'GIF with a script in a comment',
    bytes: gif({ width: 30, height: 20, before: [comment(script)] }),
    answer: jpegOf(30, 20),
  },
  {
    name: 'GIF with two frames',
    bytes: gif({
      width: 30,
      height: 20,
      frames: [
        { width: 30, height: 20 },
        { width: 30, height: 20 },
      ],
    }),
    answer: jpegOf(30, 20),
  },
]
