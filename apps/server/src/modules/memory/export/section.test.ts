import { findSection, linesInside, withSection } from '@crewhall/contracts/memory/section.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeFiles } from './merge.rules.ts'

const nonce = '0123456789abcdef'
const other = 'fedcba9876543210'
const begin = `<!-- crewhall:memory begin ${nonce} -->`
const end = `<!-- crewhall:memory end ${nonce} -->`
const bytes = (text: string) => Buffer.from(text, 'latin1')

/** Puts lines into the section, as an export does. */
function written(file: Buffer | undefined, lines: readonly string[]): Buffer {
  const section = findSection(file ?? Buffer.alloc(0))
  if (section.kind === 'refused') throw new Error(section.reason)
  return withSection(file, section, lines, nonce)
}

describe('CONV-G13: where the section is', () => {
  test.each([
    ['a file that is new', '', `${begin}\n- a\n${end}\n`],
    ['one without a final line break', 'own', `own\n\n${begin}\n- a\n${end}\n`],
    ['one with it', 'own\n', `own\n\n${begin}\n- a\n${end}\n`],
    ['one with a blank line at its end', 'own\n\n', `own\n\n${begin}\n- a\n${end}\n`],
    ['one with CRLF', 'own\r\n', `own\r\n\r\n${begin}\r\n- a\r\n${end}\r\n`],
    ['one with a byte order mark', '\xef\xbb\xbf', `\xef\xbb\xbf${begin}\n- a\n${end}\n`],
  ])('%s gets one at its end', (_, file, expected) => {
    expect(written(bytes(file), ['- a']).toString('latin1')).toBe(expected)
  })

  test.each([
    ['marker_lone', `${begin}\nx\n`],
    ['marker_lone', `x\n${end}`],
    ['marker_doubled', `${begin}\n${end}\n${begin}\n${end}\n`],
    ['marker_doubled', `${begin}\n${begin}\n${end}\n${end}\n`],
    ['marker_doubled', `${begin}\n${begin}\n`],
    ['marker_reversed', `${end}\n${begin}\n`],
    ['marker_mismatched', `${begin}\n${end.replace(nonce, other)}\n`],
    ['marker_malformed', `${begin} \n${end}\n`],
    ['marker_malformed', `text ${begin}\n${end}\n`],
    ['marker_malformed', `${begin}\n${end}trailing\n`],
    ['marker_malformed', `${begin.replace(nonce, 'short')}\n${end}\n`],
    ['marker_malformed', `<!--crewhall:memory begin ${nonce}-->\n${end}\n`],
    ['marker_malformed', `${begin.toUpperCase()}\n${end}\n`],
    ['marker_malformed', `${begin}${end}\n`],
    ['marker_malformed', `${begin}\r${end}\r`],
    ['encoding', '\xff\xfex\x00\n\x00'],
  ])('%s: the file is left alone', (reason, file) => {
    expect(findSection(bytes(file))).toEqual({ kind: 'refused', reason })
  })

  test('CONV-G16: no memories leave an empty section', () => {
    expect(written(bytes(`a\n${begin}\n- x\n${end}\nb`), []).toString()).toBe(`a\n${begin}\n${end}\nb`)
  })

  test('a file keeps its nonce', () => {
    const file = bytes(`${begin}\n${end}\n`.replaceAll(nonce, other))
    expect(written(file, ['- a']).toString()).toContain(`begin ${other}`)
  })
})

const piece = fc.oneof(
  fc.constantFrom(
    '\n',
    '\r\n',
    '\r',
    '\0',
    '\xff',
    '\xc3',
    '---\n',
    '<!--',
    '-->',
    '- [m:00000000.000000] x\n',
  ),
  fc.string({ maxLength: 40 }),
  fc.uint8Array({ maxLength: 40 }).map((raw) => Buffer.from(raw).toString('latin1')),
)
const text = fc
  .array(piece, { maxLength: 30 })
  .map((pieces) => pieces.join(''))
  .filter((each) => !/<!--\s*crewhall:memory/i.test(each) && !/^(?:\xff\xfe|\xfe\xff)/.test(each))
const lines = fc.array(fc.stringMatching(/^- [a-z ]{1,30}$/), { maxLength: 10 })
const eol = fc.constantFrom('\n', '\r\n')
const runs = scaled(10_000, 500)

test(`CONV-16 C24: in ${runs} random files every byte outside of the markers stays`, () => {
  fc.assert(
    fc.property(text, text, lines, lines, eol, fc.boolean(), (before, after, old, next, eol, isMarked) => {
      const head =
        before === '' || before === '\xef\xbb\xbf' || before.endsWith('\n') ? before : `${before}\n`
      const tail = after === '' ? '' : `${eol}${after}`
      const file = isMarked ? [head, [begin, ...old, end].join(eol), tail].join('') : before
      const result = written(bytes(file), next).toString('latin1')
      if (isMarked) expect(result).toBe([head, [begin, ...next, end].join(eol), tail].join(''))
      else expect(result.startsWith(before)).toBe(true)
      const found = findSection(bytes(result))
      expect(found.kind).toBe('found')
      if (found.kind === 'found')
        expect(linesInside(found.inside).filter((line) => line !== '')).toEqual(next)
      // The next export finds its own section, and has nothing to change.
      expect(written(bytes(result), next).toString('latin1')).toBe(result)
    }),
    { numRuns: runs },
  )
})

describe('two who write at once', () => {
  const file = (own: string, inside = '- a', rest = '') =>
    bytes(`${own}\n${begin}\n${inside}\n${end}\n${rest}`)

  test('what they wrote outside is taken over into our section', () => {
    const merged = mergeFiles(file('1'), file('1\n2'), file('1', '- b'))
    expect(merged.toString()).toBe(file('1\n2', '- b').toString())
  })

  test('both stay where both have added', () => {
    const merged = mergeFiles(file('1'), file('1', '- a', '2\n'), file('1', '- b', '3\n'))
    expect(merged.toString()).toBe(file('1', '- b', '2\n3\n').toString())
  })

  test('changes in two places, one of them a line taken out, do not meet', () => {
    const merged = mergeFiles(file('1\n2\n3\n4'), file('1\n3\n4'), file('1\n2\n3\n4\n5'))
    expect(merged.toString()).toBe(file('1\n3\n4\n5').toString())
  })

  test('a section that came into being meanwhile stays one', () => {
    const merged = mergeFiles(bytes('1'), bytes('1\n2'), file('1'))
    expect(merged.toString()).toBe(`1\n2\n${begin}\n- a\n${end}\n`)
  })

  test('no line of either is lost, whatever they wrote', () => {
    const own = fc.array(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 8 }).map((each) => each.join('\n'))
    const version = fc.record({ head: own, tail: own })
    fc.assert(
      fc.property(version, version, version, fc.boolean(), (base, theirs, ours, isKnown) => {
        const [was, their, now] = [base, theirs, ours].map(({ head, tail }) => file(head, '- a', tail))
        const merged = mergeFiles(isKnown ? was : undefined, their as Buffer, now as Buffer)
          .toString()
          .split('\n')
        const news = (version: typeof base, part: 'head' | 'tail') =>
          version[part].split('\n').filter((line) => line !== '' && !base[part].split('\n').includes(line))
        for (const version of [theirs, ours])
          for (const part of ['head', 'tail'] as const)
            expect(merged).toEqual(expect.arrayContaining(news(version, part)))
        expect(merged.filter((line) => line === begin)).toHaveLength(1)
      }),
      { numRuns: scaled(10_000, 1000) },
    )
  })
})
