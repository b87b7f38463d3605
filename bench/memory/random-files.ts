import { seededRandom } from '@crewhall/testkit/seeded-random.ts'

export interface RandomFile {
  /** As bytes, one for each character. */
  readonly before: string
  readonly after: string
  /** What stands between, if the file has a section already. */
  readonly section: string | undefined
  /** Why nothing may be written into it. */
  readonly reason: string | undefined
}

const nonce = '0123456789abcdef'
const begin = `<!-- crewhall:memory begin ${nonce} -->`
const end = `<!-- crewhall:memory end ${nonce} -->`
const pieces = [
  '# Notes',
  '- [ ] call the depot',
  'a line with trailing blanks   ',
  '\ttabs\tin\tit',
  'Gr\xc3\xbc\xc3\x9fe',
  'half a character \xc3',
  'bytes \xff\xfe and a zero \x00',
  '---',
  '<!-- a comment of mine -->',
  '',
  '',
  '```sh',
  'rm -rf build',
  '```',
  '- [m:00000000.000000] not from us',
]
const broken: readonly (readonly [reason: string, text: string])[] = [
  ['marker_lone', `${begin}\nx\n`],
  ['marker_lone', `x\n${end}\n`],
  ['marker_reversed', `${end}\nx\n${begin}\n`],
  ['marker_doubled', `${begin}\nx\n${end}\n${begin}\n${end}\n`],
  ['marker_doubled', `${begin}\n${begin}\nnested\n${end}\n${end}\n`],
]

/** Files as people leave them: any line ends, marks, endings; with a section, without one, or with a broken one. */
export function randomFiles(count: number): RandomFile[] {
  const random = seededRandom(25)
  const pick = <Item>(list: readonly Item[]): Item => list[Math.floor(random() * list.length)] as Item
  return Array.from({ length: count }, () => {
    const lineEnd = random() < 0.3 ? '\r\n' : '\n'
    const lines = () => Array.from({ length: Math.floor(random() * 12) }, () => pick(pieces))
    const text = () => lines().join(lineEnd)
    const mark = random() < 0.2 ? '\xef\xbb\xbf' : ''
    const way = random()
    if (way < 0.2) {
      const [reason, middle] = pick(broken)
      return { before: `${mark}${text()}\n${middle}${text()}`, after: '', section: undefined, reason }
    }
    if (way < 0.6) {
      const section = `${begin}${lineEnd}- old${lineEnd}${end}`
      const last = random() < 0.5 ? lineEnd : ''
      const head = lines()
        .map((line) => `${line}${lineEnd}`)
        .join('')
      const rest = random() < 0.3 ? last : `${lineEnd}${text()}${last}`
      return { before: `${mark}${head}`, after: rest, section, reason: undefined }
    }
    return { before: `${mark}${text()}`, after: '', section: undefined, reason: undefined }
  })
}
