/** Chunks that say how the pixels look. All others are left out. */
const kept = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'eXIf'])

/**
 * A PNG without its texts. The decoder unpacks each of them, a kilobyte to a megabyte, and keeps them all: a file
 * of one megabyte takes gigabytes that way. Whatever is cut short here is refused by the decoder.
 */
export function withoutTexts(png: Uint8Array): Uint8Array {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength)
  const parts = [png.subarray(0, 8)]
  for (let at = 8; at + 12 <= png.length; ) {
    const end = at + 12 + view.getUint32(at)
    if (end > png.length) {
      // The rest is one chunk that was cut off. Handed on, so that the decoder sees that it was.
      parts.push(png.subarray(at))
      break
    }
    const type = String.fromCharCode(...png.subarray(at + 4, at + 8))
    if (kept.has(type)) parts.push(png.subarray(at, end))
    if (type === 'IEND') break
    at = end
  }
  return Buffer.concat(parts)
}

const maxScans = 100

/**
 * Every scan of a progressive JPEG goes over the whole picture and needs only some fifty bytes to do so. Cameras
 * and programs write about ten.
 */
export function hasTooManyScans(jpeg: Uint8Array): boolean {
  let scans = 0
  for (let at = jpeg.indexOf(0xff); at !== -1; at = jpeg.indexOf(0xff, at + 1)) {
    if (jpeg[at + 1] === 0xda) scans += 1
    if (scans > maxScans) return true
  }
  return false
}

/** Starts of a frame, C4, C8 and CC apart, which are tables and an extension. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/**
 * What a JPEG of several scans is held in until its last one: a coefficient of two bytes for every sample. Colour
 * that is stored at half the size, as most programs do, takes half as much in all. By the frame itself: the
 * library says only whether anything is smaller, not what. Without a readable frame it is infinite.
 */
export function coefficientBytes(jpeg: Uint8Array): number {
  const view = new DataView(jpeg.buffer, jpeg.byteOffset, jpeg.byteLength)
  for (let at = 2; at + 9 < jpeg.length; ) {
    if (jpeg[at] !== 0xff) return Number.POSITIVE_INFINITY
    const marker = view.getUint8(at + 1)
    // Any number of FF may stand before a marker.
    if (marker === 0xff) at += 1
    else if (isFrame(marker)) return 2 * countSamples(view, at + 4)
    else at += 2 + view.getUint16(at + 2)
  }
  return Number.POSITIVE_INFINITY
}

function countSamples(view: DataView, frame: number): number {
  const pixels = view.getUint16(frame + 1) * view.getUint16(frame + 3)
  const components = view.getUint8(frame + 5)
  if (frame + 6 + components * 3 > view.byteLength) return Number.POSITIVE_INFINITY
  const factors = Array.from({ length: components }, (_, n) => view.getUint8(frame + 7 + n * 3))
  const across = Math.max(...factors.map((factor) => factor >> 4))
  const down = Math.max(...factors.map((factor) => factor & 15))
  return factors.reduce((sum, factor) => sum + (pixels * (factor >> 4) * (factor & 15)) / (across * down), 0)
}
