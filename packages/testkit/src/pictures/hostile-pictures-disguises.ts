import { canary, type HostilePicture, jpegOf } from './hostile-picture.ts'
import { gif } from './picture-gif.ts'
import { jpeg } from './picture-jpeg.ts'
import { commentSegment } from './picture-metadata.ts'
import { png } from './picture-png.ts'

const archive = Buffer.concat([
  Buffer.from('PK\x03\x04', 'latin1'),
  Buffer.from(`META-INF/MANIFEST.MF ${canary}`),
  Buffer.from('PK\x05\x06', 'latin1'),
  Buffer.alloc(18),
])
const pdf = `%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert("${canary}"))>>>>endobj\ntrailer<</Root 1 0 R>>`
const svg = (inside: string) =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${inside}<!-- ${canary} --></svg>`,
  )
const named = (name: string, filename: string, declared: string, bytes: Buffer): HostilePicture => ({
  name,
  filename,
  declared,
  bytes,
  answer: 'wrong type',
})
const latin = (start: string, length = 64): Buffer => {
  const bytes = Buffer.alloc(length)
  bytes.write(start, 0, 'latin1')
  return bytes
}

/** Files that are valid in two formats, and files with the wrong name. */
export const disguises = (): HostilePicture[] => [...twoInOne(), ...drawings(), ...otherKinds()]

const twoInOne = (): HostilePicture[] => [
  {
    name: 'GIF that is a Java archive too',
    bytes: gif({ width: 30, height: 20, after: archive }),
    answer: jpegOf(30, 20),
  },
  {
    name: 'JPEG that is a PDF too',
    bytes: jpeg({ width: 30, height: 20, before: [commentSegment(pdf)], after: Buffer.from(pdf) }),
    answer: jpegOf(30, 20),
  },
  {
    name: 'PNG with a program behind it',
    bytes: Buffer.concat([png({ width: 30, height: 20 }), Buffer.from(`\x7fELF ${canary}`, 'latin1')]),
    answer: jpegOf(30, 20),
  },
  {
    name: 'PNG that is a page in a browser that guesses',
    filename: 'page.html',
    declared: 'text/html',
    bytes: Buffer.concat([png({ width: 30, height: 20 }), Buffer.from(`<html><body>${canary}`)]),
    answer: jpegOf(30, 20),
  },
  {
    name: 'JPEG that is called a drawing',
    filename: 'a.svg',
    declared: 'image/svg+xml',
    bytes: jpeg({ width: 30, height: 20 }),
    answer: jpegOf(30, 20),
  },
  {
    name: 'GIF that is called a PNG',
    filename: 'a.png',
    declared: 'image/png',
    bytes: gif({ width: 30, height: 20 }),
    answer: jpegOf(30, 20),
  },
  named(
    'PDF with a JPEG behind it',
    'a.jpg',
    'image/jpeg',
    Buffer.concat([Buffer.from(pdf), jpeg({ width: 30, height: 20 })]),
  ),
  named('script that begins like a GIF', 'a.gif', 'image/gif', Buffer.from(`GIF89a=1;alert("${canary}")`)),
]

const entity = '<!DOCTYPE svg [<!ENTITY x SYSTEM "/etc/passwd">]>'

const drawings = (): HostilePicture[] => [
  named('SVG with a script', 'a.png', 'image/png', svg('<script>alert(1)</script>')),
  named(
    'SVG that reads a file',
    'a.jpg',
    'image/jpeg',
    Buffer.concat([Buffer.from(`<?xml version="1.0"?>${entity}`), svg('<text>&x;</text>')]),
  ),
  named(
    'SVG that loads from elsewhere, with a byte order mark',
    'a.gif',
    'image/gif',
    Buffer.concat([Buffer.from('\ufeff'), svg('<image href="http://127.0.0.1:1/x.png"/>')]),
  ),
  named('HTML', 'a.png', 'image/png', Buffer.from(`<!doctype html><script>${canary}</script>`)),
]

/** The smallest WebP there is: one pixel, lossless. */
const webp = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64')

const otherKinds = (): HostilePicture[] => [
  named('nothing at all', 'a.png', 'image/png', Buffer.alloc(0)),
  named('WebP', 'a.webp', 'image/webp', webp),
  named('WebP that is called a PNG', 'a.png', 'image/png', webp),
  named('AVIF', 'a.avif', 'image/avif', latin('\0\0\0\x1cftypavif')),
  named('HEIC', 'a.heic', 'image/heic', latin('\0\0\0\x18ftypheic')),
  named(
    'BMP',
    'a.bmp',
    'image/bmp',
    latin('BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x01\0\0\0\x01\0\0\0\x01\0\x18'),
  ),
  named('TIFF', 'a.tif', 'image/tiff', latin('II*\0\x08\0\0\0')),
  named('TIFF from the other end', 'a.jpg', 'image/jpeg', latin('MM\0*\0\0\0\x08')),
  named('icon', 'a.ico', 'image/x-icon', latin('\0\0\x01\0\x01\0\x01\x01')),
  named('JPEG XL', 'a.jxl', 'image/jxl', latin('\xff\x0a')),
  named('JPEG 2000', 'a.jp2', 'image/jp2', latin('\0\0\0\x0cjP  \r\n\x87\n')),
  named('Photoshop', 'a.psd', 'image/vnd.adobe.photoshop', latin('8BPS\0\x01')),
  named('program', 'a.png', 'image/png', latin('MZ\x90\0')),
  named('archive', 'a.jpg', 'image/jpeg', archive),
  named('text', 'a.txt', 'text/plain', Buffer.from('just words')),
  named(
    'blank before a PNG',
    'a.png',
    'image/png',
    Buffer.concat([Buffer.from('\n'), png({ width: 1, height: 1 })]),
  ),
]
