import { expect, test } from 'vitest'
import { type Edit, type Edited, link, newLine, prefix, wrap } from './text-edits.ts'

/** `|` marks the ends of what is selected. */
function of(marked: string): Edited {
  const [before = '', inside = '', after] = marked.split('|')
  if (after === undefined) return { text: before + inside, start: before.length, end: before.length }
  return { text: before + inside + after, start: before.length, end: before.length + inside.length }
}

function done({ text }: Edited, edit: Edit | undefined): string | undefined {
  if (!edit) return undefined
  const now = text.slice(0, edit.from) + edit.by + text.slice(edit.to)
  const [start, end] = edit.select
  const inside = start === end ? '' : `${now.slice(start, end)}|`
  return `${now.slice(0, start)}|${inside}${now.slice(end)}`
}

test.each([
  ['a |b| c', 'a **|b|** c'],
  ['a **|b|** c', 'a |b| c'],
  ['a | c', 'a **|** c'],
])('bold: %s', (marked, after) => expect(done(of(marked), wrap(of(marked), '**'))).toBe(after))

test.each([
  ['a\nb|c', 'a\n- b|c'],
  ['a\n- b|c', 'a\nb|c'],
  ['|a\nb|', '|- a\n- b|'],
])('list: %j', (marked, after) => expect(done(of(marked), prefix(of(marked), '- '))).toBe(after))

test.each([
  ['see |this|', 'see [this](|https://|)'],
  ['see |', 'see [|](https://)'],
])('link: %s', (marked, after) => expect(done(of(marked), link(of(marked)))).toBe(after))

test.each([
  ['- a|', '- a\n- |'],
  ['x\n  9. a|', 'x\n  9. a\n  10. |'],
  ['- [x] a|', '- [x] a\n- [ ] |'],
  ['- a\n- |', '- a\n|'],
  ['plain|', undefined],
])('Enter: %j', (marked, after) => expect(done(of(marked), newLine(of(marked)))).toBe(after))
