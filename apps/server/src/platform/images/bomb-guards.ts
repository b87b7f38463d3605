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
