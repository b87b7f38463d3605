import sharp, { type Metadata, type SharpOptions } from 'sharp'
import { hasTooManyScans, withoutTexts } from '#platform/images/bomb-guards.ts'
import type { Picture, PictureKind, PictureRules } from '#platform/images/picture-rules.ts'

/** 25 megapixels: more than any screen shows, and a bomb of a few kilobytes stays within what a process has. */
const maxPixels = 25_000_000

/**
 * Most decoders read line by line. Interlaced PNG, progressive JPEG and GIF have to hold the whole picture, and
 * 25 megapixels of the widest kind would be 200 MB and more.
 */
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
const input: SharpOptions = { failOn: 'error', limitInputPixels: maxPixels, pages: 1, autoOrient: true }

/** The pixels of the first frame, encoded anew. Throws when the bytes are not a sound picture of that kind. */
export async function decode(sent: Uint8Array, kind: PictureKind, rules: PictureRules): Promise<Picture> {
  if (kind === 'jpeg' && hasTooManyScans(sent)) throw new Error('this has too many scans')
  const bytes = kind === 'png' ? withoutTexts(sent) : sent
  const facts = await sharp(bytes, input).metadata()
  if (facts.format !== kind) throw new Error(`this is ${facts.format}, not ${kind}`)
  if (heldBytes(facts) > maxHeldBytes) throw new Error('this takes too much room to decode')
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

function heldBytes({ format, width, height, channels, depth, isProgressive }: Metadata): number {
  const pixels = width * height
  if (format === 'gif') return pixels * 4
  if (!isProgressive) return 0
  // A progressive JPEG is held as coefficients of two bytes.
  return pixels * channels * (format === 'jpeg' || depth === 'ushort' ? 2 : 1)
}

function hasTransparency(data: Uint8Array, channels: number): boolean {
  if (channels !== 2 && channels !== 4) return false
  for (let at = channels - 1; at < data.length; at += channels) if (data[at] !== 255) return true
  return false
}
