import type { AttachmentType } from '@crewhall/contracts/boards/attachments.ts'

const signatures: readonly (readonly [type: AttachmentType, at: number, hex: string])[] = [
  ['image/png', 0, '89504e470d0a1a0a'],
  ['image/jpeg', 0, 'ffd8ff'],
  ['image/gif', 0, '474946383761'],
  ['image/gif', 0, '474946383961'],
  ['image/webp', 8, '57454250'],
  ['application/pdf', 0, '255044462d'],
  ['application/zip', 0, '504b0304'],
  ['application/zip', 0, '504b0506'],
  ['application/gzip', 0, '1f8b08'],
  ['video/mp4', 4, '66747970'],
]

interface Beginning {
  readonly head: Uint8Array
  readonly is_text: boolean
}

/** By the bytes alone. A page, a drawing and a script are texts like any other. */
export function deriveType({ head, is_text }: Beginning): AttachmentType {
  const bytes = Buffer.from(head)
  const found = signatures.find(([, at, hex]) =>
    bytes.subarray(at, at + hex.length / 2).equals(Buffer.from(hex, 'hex')),
  )
  return found?.[0] ?? (is_text ? 'text/plain' : 'application/octet-stream')
}

const previewBytes = 2048

/** How a text begins, cut between two characters; null for everything else. */
export function derivePreview(file: Beginning): string | null {
  if (deriveType(file) !== 'text/plain') return null
  return new TextDecoder().decode(file.head.subarray(0, previewBytes), { stream: true })
}

const mostCharacters = 200
/** Control and format characters hide what a name is: `exe.gpj` may look like `jpg.exe`. */
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A name that can be shown and saved. A long one keeps its end, where its type is. */
export function deriveName(filename: string): string {
  const plain = filename
    .replaceAll(hidden, '')
    .replaceAll(/[\\/:*?"<>|]/g, '_')
    .replaceAll(/^[\s.]+|(?<![\s.])[\s.]+$/g, '')
  const letters = [...plain]
  if (plain.length <= mostCharacters) return plain || 'file'
  const end = letters.slice(-20).join('')
  let begin = ''
  for (const letter of letters) {
    if (begin.length + letter.length + end.length > mostCharacters - 1) break
    begin += letter
  }
  return `${begin}…${end}`
}
