import sharp, { type Metadata, type SharpOptions } from 'sharp'
import { coefficientBytes, hasTooManyScans, withoutTexts } from '#platform/images/bomb-guards.ts'
import type { Picture, PictureKind, PictureRules } from '#platform/images/picture-rules.ts'

/**
 * Phones make 48 megapixels and cameras 100. A JPEG of those is shrunk while it loads and takes 10 MB; a plain PNG
 * is read line by line and takes up to 155 MB.
 */
const maxPixels: Readonly<Record<PictureKind, number>> = {
  jpeg: 100_000_000,
  png: 50_000_000,
  gif: 50_000_000,
  webp: 25_000_000,
}
/** The longer the lines of a PNG, the more of them are kept. Beyond this it is the whole picture, several times. */
const longLine = 16_384
const copiesOfLongLines = 6

/** Interlaced PNG, JPEG in several scans and GIF have to be held as a whole, and may be as large as this. */
const maxHeldBytes = 150_000_000

const loaders: Readonly<Record<PictureKind, string>> = {
  png: 'VipsForeignLoadPngBuffer',
  jpeg: 'VipsForeignLoadJpegBuffer',
  gif: 'VipsForeignLoadNsgifBuffer',
  webp: 'VipsForeignLoadWebpBuffer',
}

/** Once in the life of a process, before the first picture. */
export function lockDown(): void {
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: Object.values(loaders) })
  // Nothing is ever read twice, and what one sender sent is not kept around for the next.
  sharp.cache(false)
  sharp.concurrency(1)
}

// `error`, not the stricter `warning`: phones write JPEG with harmless slips, and their owners cannot help it.
// A truncated picture is refused at this level too.
const inputOf = (kind: PictureKind): SharpOptions => ({
  failOn: 'error',
  limitInputPixels: maxPixels[kind],
  pages: 1,
  autoOrient: true,
})

/** Re-encodes the pixels of the first frame. Throws if the bytes are not a valid image of that kind. */
export async function decode(sent: Uint8Array, kind: PictureKind, rules: PictureRules): Promise<Picture> {
  if (kind === 'jpeg' && hasTooManyScans(sent)) throw new Error('this has too many scans')
  const bytes = kind === 'png' ? withoutTexts(sent) : sent
  const input = inputOf(kind)
  const facts = await sharp(bytes, input).metadata()
  if (facts.format !== kind) throw new Error(`this is ${facts.format}, not ${kind}`)
  // An unknown size is NaN, which fails the comparison too.
  if (!(heldBytes(facts, bytes) <= maxHeldBytes)) throw new Error('this takes too much room to decode')
  const { width, height, fit, keep_alpha } = rules
  // Only pixels cross from here to the encoder, so nothing else of the file can reach the other side.
  const { data, info } = await sharp(bytes, input)
    .resize({ width, height, fit, withoutEnlargement: fit === 'inside' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
  const pixels = sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
  if (keep_alpha && hasTransparency(data, info.channels)) {
    return { bytes: await pixels.png().toBuffer(), content_type: 'image/png' }
  }
  const jpeg = pixels.flatten({ background: '#fff' }).jpeg({ quality: 85, chromaSubsampling: '4:4:4' })
  return { bytes: await jpeg.toBuffer(), content_type: 'image/jpeg' }
}

function heldBytes(facts: Metadata, bytes: Uint8Array): number {
  const { format, width, height, channels, depth, isProgressive } = facts
  const pixels = width * height
  if (format === 'gif') return pixels * 4
  if (format === 'jpeg') return isProgressive ? coefficientBytes(bytes) : 0
  const whole = pixels * channels * (depth === 'ushort' ? 2 : 1)
  if (format === 'png' && width > longLine) return whole * copiesOfLongLines
  return isProgressive ? whole : 0
}

function hasTransparency(data: Uint8Array, channels: number): boolean {
  if (channels !== 2 && channels !== 4) return false
  for (let at = channels - 1; at < data.length; at += channels) if (data[at] !== 255) return true
  return false
}
