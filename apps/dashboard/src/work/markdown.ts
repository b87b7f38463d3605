/** Markdown as blocks. HTML is none of it: what is not known here stays the text that it is. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly Block[] }
  | { readonly kind: 'list'; readonly start: number | undefined; readonly items: readonly ListItem[] }
  | {
      readonly kind: 'table'
      readonly aligns: readonly Align[]
      readonly head: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }
  | { readonly kind: 'rule' }

interface ListItem {
  /** Of a task; undefined where there is no box. */
  readonly is_checked: boolean | undefined
  readonly blocks: readonly Block[]
}
type Align = 'left' | 'center' | 'right'

/** Quotes and lists within each other; deeper ones are shown as they were written. */
const mostDepth = 8
const mostColumns = 40

const fence = /^ {0,3}(`{3,}|~{3,}(?!~))[^`]*$/
const heading = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/s
const rule = /^ {0,3}(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/
const quote = /^ {0,3}> ?/
const bullet = /^( {0,3})([-*+]|\d{1,9}[.)])(?:( {1,4})(?=\S)| *$)/
const delimiter = /^[ \t|:-]+$/

export const blocksOf = (text: string): readonly Block[] =>
  read(text.replaceAll('\r\n', '\n').replaceAll('\t', '    ').split('\n'), 0)

function read(lines: readonly string[], depth: number): readonly Block[] {
  const blocks: Block[] = []
  let at = 0
  while (at < lines.length) {
    const [block, next] = readBlock(lines, at, depth)
    if (block) blocks.push(block)
    at = next
  }
  return blocks
}

/** The block that begins at a line, and the line after it. */
function readBlock(
  lines: readonly string[],
  at: number,
  depth: number,
): readonly [Block | undefined, number] {
  const line = lines[at] ?? ''
  if (line.trim() === '') return [undefined, at + 1]
  const opened = fence.exec(line)?.[1]
  if (opened !== undefined) return readCode(lines, at, opened)
  const [, marks, title = ''] = heading.exec(line) ?? []
  if (marks !== undefined)
    return [{ kind: 'heading', level: marks.length, text: title.replace(/ #+ *$/, '').trim() }, at + 1]
  if (rule.test(line)) return [{ kind: 'rule' }, at + 1]
  if (depth < mostDepth && quote.test(line)) return readQuote(lines, at, depth)
  if (depth < mostDepth && bullet.test(line)) return readList(lines, at, depth)
  return readTable(lines, at) ?? readParagraph(lines, at, depth)
}

function readCode(lines: readonly string[], at: number, opened: string): readonly [Block, number] {
  const mark = opened.charAt(0)
  let end = at + 1
  while (end < lines.length) {
    const line = (lines[end] ?? '').trim()
    if (line.length >= opened.length && line === mark.repeat(line.length)) break
    end += 1
  }
  return [{ kind: 'code', text: lines.slice(at + 1, end).join('\n') }, end + 1]
}

function readQuote(lines: readonly string[], at: number, depth: number): readonly [Block, number] {
  let end = at
  while (end < lines.length && quote.test(lines[end] ?? '')) end += 1
  const inside = lines.slice(at, end).map((line) => line.replace(quote, ''))
  return [{ kind: 'quote', blocks: read(inside, depth + 1) }, end]
}

function readList(lines: readonly string[], at: number, depth: number): readonly [Block, number] {
  const first = bullet.exec(lines[at] ?? '')?.[2] ?? '-'
  // Another sign begins another list.
  const sign = first.at(-1)
  const start = /^\d/.test(first) ? Number.parseInt(first, 10) : undefined
  const items: ListItem[] = []
  let end = at
  while (end < lines.length) {
    const found = bullet.exec(lines[end] ?? '')
    if (!found || found[2]?.at(-1) !== sign || rule.test(lines[end] ?? '')) break
    const width = found[0].length + (found[3] === undefined ? 1 : 0)
    const inside = [(lines[end] ?? '').slice(found[0].length)]
    end += 1
    while (end < lines.length && belongs(lines, end, width, inside)) {
      inside.push((lines[end] ?? '').replace(new RegExp(`^ {0,${width}}`), ''))
      end += 1
    }
    items.push(itemOf(inside, depth))
    // Empty lines between items are no end of the list.
    let after = end
    while (after < lines.length && (lines[after] ?? '').trim() === '') after += 1
    if (after > end && bullet.exec(lines[after] ?? '')?.[2]?.at(-1) === sign) end = after
  }
  return [{ kind: 'list', start, items }, end]
}

/** Indented lines belong to the item, and those that go on with its paragraph. */
function belongs(lines: readonly string[], at: number, width: number, inside: readonly string[]): boolean {
  const line = lines[at] ?? ''
  const isIndented = (text: string) => text.trim() !== '' && text.search(/\S/) >= Math.min(width, 2)
  if (line.trim() === '') return isIndented(lines[at + 1] ?? '')
  if (isIndented(line)) return true
  return (inside.at(-1) ?? '').trim() !== '' && !startsBlock(line)
}

function itemOf(lines: readonly string[], depth: number): ListItem {
  const [, box, rest] = /^\[([ xX])\] +(.*)$/s.exec(lines[0] ?? '') ?? []
  const isTask = box !== undefined && rest !== undefined
  return {
    is_checked: isTask ? box !== ' ' : undefined,
    blocks: read(isTask ? [rest, ...lines.slice(1)] : lines, depth + 1),
  }
}

function readTable(lines: readonly string[], at: number): readonly [Block, number] | undefined {
  const [top = '', below = ''] = [lines[at], lines[at + 1]]
  if (!top.includes('|') || !below.includes('-') || !delimiter.test(below)) return undefined
  const head = cellsOf(top)
  const signs = cellsOf(below)
  if (head.length !== signs.length || !signs.every((sign) => /^:?-+:?$/.test(sign))) return undefined
  let end = at + 2
  while (end < lines.length && (lines[end] ?? '').includes('|')) end += 1
  const rows = lines
    .slice(at + 2, end)
    .map(cellsOf)
    // As many cells as the head has.
    .map((cells) => head.map((_, column) => cells[column] ?? ''))
  return [{ kind: 'table', aligns: signs.map(alignOf), head, rows }, end]
}

const alignOf = (sign: string): Align =>
  !sign.endsWith(':') ? 'left' : sign.startsWith(':') ? 'center' : 'right'

function cellsOf(line: string): readonly string[] {
  const inside = line.trim().replace(/^\|/, '').replace(/\|$/, '')
  return inside
    .split(/(?<!\\)\|/)
    .slice(0, mostColumns)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function readParagraph(lines: readonly string[], at: number, depth: number): readonly [Block, number] {
  let end = at + 1
  while (end < lines.length && (lines[end] ?? '').trim() !== '' && !endsParagraph(lines[end] ?? '', depth))
    end += 1
  return [{ kind: 'paragraph', text: lines.slice(at, end).join('\n').trim() }, end]
}

const endsParagraph = (line: string, depth: number): boolean => startsBlock(line) && depth < mostDepth

const startsBlock = (line: string): boolean =>
  fence.test(line) || heading.test(line) || rule.test(line) || quote.test(line) || bullet.test(line)

/** Words of a line. */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong'; readonly text: string }
  | { readonly kind: 'emphasis'; readonly text: string }
  | { readonly kind: 'deleted'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string; readonly address: string }
  /** `@member:12` or `@agent:wren`. */
  | { readonly kind: 'mention'; readonly text: string }
  | { readonly kind: 'break' }

// Each kind ends at a sign that may not stand within it, so that reading takes time in proportion to the text.
const inline = new RegExp(
  [
    '\\\\(?<escaped>[!-/:-@[-`{-~])',
    '(?<ticks>`+)(?<code>[^`\\n]+)\\k<ticks>',
    '!?\\[(?<label>[^[\\]\\n]*)\\]\\((?<target>[^\\s()]*(?:\\([^\\s()]*\\)[^\\s()]*)?)(?: +"[^"\\n]*")?\\)',
    '<(?<pointed>(?:https?:\\/\\/|mailto:)[^\\s<>]+)>',
    '\\*\\*(?=\\S)(?<strong>[^\\n]{1,2000}?)\\*\\*',
    '~~(?=\\S)(?<deleted>[^~\\n]+)~~',
    '\\*(?![\\s*])(?<starred>[^*\\n]*[^*\\s])\\*',
    '(?<!\\w)_(?![\\s_])(?<scored>[^_\\n]*[^_\\s])_(?!\\w)',
    '(?<bare>https?:\\/\\/[^\\s<>"\'`]+)',
    '(?<![\\p{L}\\p{N}_@.+-])(?<mention>@(?:member:[1-9]\\d{0,8}|agent:[A-Za-z0-9_-]{1,255}))(?![\\p{L}\\p{N}_-])',
    '(?<broken> {2,}|\\\\)\\n',
  ].join('|'),
  'gu',
)

export function inlineOf(text: string): readonly Inline[] {
  const parts: Inline[] = []
  let at = 0
  const say = (plain: string) => {
    if (plain === '') return
    const last = parts.at(-1)
    if (last?.kind === 'text') parts.splice(-1, 1, { kind: 'text', text: last.text + plain })
    else parts.push({ kind: 'text', text: plain })
  }
  for (const found of text.matchAll(inline)) {
    say(text.slice(at, found.index))
    at = found.index + found[0].length
    const part = partOf(found.groups ?? {})
    if (part?.kind === 'text') say(part.text)
    else if (part) parts.push(part)
    else say(found[0])
    if (part?.kind === 'link' && found.groups?.bare !== undefined)
      say(found.groups.bare.slice(part.text.length))
  }
  say(text.slice(at))
  return parts
}

/** Undefined where it stays as it was written. */
function partOf(found: Readonly<Record<string, string | undefined>>): Inline | undefined {
  const { escaped, code, label, target, pointed, strong, deleted, bare, broken, mention } = found
  if (escaped !== undefined) return { kind: 'text', text: escaped }
  if (code !== undefined)
    return { kind: 'code', text: code.length > 2 ? code.replace(/^ (.*) $/, '$1') : code }
  if (target !== undefined) {
    const address = safeAddress(target)
    return address === undefined ? undefined : { kind: 'link', text: label || address, address }
  }
  if (pointed !== undefined) return linkOf(pointed)
  if (strong !== undefined) return { kind: 'strong', text: strong }
  if (deleted !== undefined) return { kind: 'deleted', text: deleted }
  const emphasis = found.starred ?? found.scored
  if (emphasis !== undefined) return { kind: 'emphasis', text: emphasis }
  if (broken !== undefined) return { kind: 'break' }
  if (mention !== undefined) return { kind: 'mention', text: mention }
  // The point at the end of a sentence is not of the address.
  return bare === undefined ? undefined : linkOf(bare.replace(/(?<![.,;:!?)\]*_~])[.,;:!?)\]*_~]+$/, ''))
}

function linkOf(text: string): Inline | undefined {
  const address = safeAddress(text)
  return address === undefined ? undefined : { kind: 'link', text, address }
}

const safeSchemes = new Set(['http:', 'https:', 'mailto:'])

/** To the web and to mail alone: an address of any other kind could be a program. */
export function safeAddress(address: string): string | undefined {
  const url = URL.parse(address)
  return url && safeSchemes.has(url.protocol) ? address : undefined
}
