/** A text in a field, and what is selected in it. */
export interface Edited {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** A part of the text that is replaced, and what is selected then. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly by: string
  readonly select: readonly [number, number]
}

/** Puts a sign on both sides of what is selected, or takes it away. */
export function wrap({ text, start, end }: Edited, sign: string): Edit {
  const inside = text.slice(start, end)
  const isWrapped =
    text.slice(start - sign.length, start) === sign && text.slice(end, end + sign.length) === sign
  if (isWrapped)
    return {
      from: start - sign.length,
      to: end + sign.length,
      by: inside,
      select: [start - sign.length, end - sign.length],
    }
  return {
    from: start,
    to: end,
    by: sign + inside + sign,
    select: [start + sign.length, end + sign.length],
  }
}

/** Begins each selected line with a sign, or takes it away where all have it. */
export function prefix({ text, start, end }: Edited, sign: string): Edit {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const next = text.indexOf('\n', end)
  const to = next < 0 ? text.length : next
  const lines = text.slice(from, to).split('\n')
  const areAll = lines.every((line) => line.startsWith(sign))
  const by = lines.map((line) => (areAll ? line.slice(sign.length) : sign + line)).join('\n')
  const change = areAll ? -sign.length : sign.length
  const isOne = start === end
  return {
    from,
    to,
    by,
    select: isOne
      ? [Math.max(from, start + change), Math.max(from, start + change)]
      : [from, from + by.length],
  }
}

/** Makes a link of what is selected; then the address is selected, or what is to be read. */
export function link({ text, start, end }: Edited): Edit {
  const label = text.slice(start, end)
  const address = 'https://'
  const by = `[${label}](${address})`
  const at = start + label.length + 3
  return {
    from: start,
    to: end,
    by,
    select: label === '' ? [start + 1, start + 1] : [at, at + address.length],
  }
}

const item = /^(\s*)([-*+]|\d{1,9}[.)])( +)(\[[ xX]\] +)?/

/** What Enter does in a list: the next item, or the end of the list after an empty one. Undefined elsewhere. */
export function newLine({ text, start, end }: Edited): Edit | undefined {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const found = item.exec(text.slice(from, start))
  if (!found) return undefined
  const [whole, indent = '', sign = '', space = '', box] = found
  if (from + whole.length === start && start === end) return { from, to: start, by: '', select: [from, from] }
  const number = Number.parseInt(sign, 10)
  const next = Number.isNaN(number) ? sign : `${number + 1}${sign.at(-1)}`
  const by = `\n${indent}${next}${space}${box === undefined ? '' : '[ ] '}`
  return { from: start, to: end, by, select: [start + by.length, start + by.length] }
}
