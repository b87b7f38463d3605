import { findSection } from '@crewhall/contracts/memory/section.ts'

/**
 * Somebody has written `theirs` over `base` at the moment at which we replaced it, and `current` is what became of our file
 * since. Joined outside of the section, so that no line of either is lost; where both have changed the same place, both
 * stay. Without a base, which is so after a crash, it is the current file with what it lacks of theirs.
 */
export function mergeFiles(base: Buffer | undefined, theirs: Buffer, current: Buffer): Buffer {
  const [their, now] = [split(theirs), split(current)]
  if (!their || !now) return joined(joinLines(linesOf(text(theirs)), linesOf(text(current))))
  const was = base && split(base)
  const before = was ? mergeLines(was.before, their.before, now.before) : joinLines(their.before, now.before)
  const after = was ? mergeLines(was.after, their.after, now.after) : joinLines(their.after, now.after)
  // Edits inside the section are read from theirs by whoever replaced it.
  return joined([...before, ...(now.section ?? their.section ?? []), ...after])
}

interface Split {
  readonly before: string[]
  readonly section: string[] | undefined
  readonly after: string[]
}
const text = (bytes: Buffer): string => bytes.toString('latin1')
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

function split(bytes: Buffer): Split | undefined {
  const section = findSection(bytes)
  if (section.kind === 'refused') return undefined
  if (section.kind === 'absent') return { before: linesOf(text(bytes)), section: undefined, after: [] }
  const whole = text(bytes)
  const lineBreak = whole.indexOf('\n', section.end)
  const end = lineBreak === -1 ? whole.length : lineBreak + 1
  return {
    before: linesOf(whole.slice(0, section.start)),
    section: linesOf(whole.slice(section.start, end)),
    after: linesOf(whole.slice(end)),
  }
}

/** A line in the middle needs its line break. */
const joined = (lines: readonly string[]): Buffer =>
  Buffer.from(
    lines.map((line, at) => (at < lines.length - 1 && !line.endsWith('\n') ? `${line}\n` : line)).join(''),
    'latin1',
  )

interface Hunk {
  readonly from: number
  readonly to: number
  readonly lines: readonly string[]
}

function mergeLines(base: readonly string[], one: readonly string[], other: readonly string[]): string[] {
  const [a, b] = [hunkOf(base, one), hunkOf(base, other)]
  if (!b) return [...one]
  if (!a) return [...other]
  const [first, second] = a.from <= b.from ? [a, b] : [b, a]
  const isApart = first.to < second.from || (first.to === second.from && first.from < second.from)
  if (isApart)
    return [
      ...base.slice(0, first.from),
      ...first.lines,
      ...base.slice(first.to, second.from),
      ...second.lines,
      ...base.slice(second.to),
    ]
  const [from, to] = [first.from, Math.max(first.to, second.to)]
  const within = (hunk: Hunk) => [...base.slice(from, hunk.from), ...hunk.lines, ...base.slice(hunk.to, to)]
  return [...base.slice(0, from), ...joinLines(within(a), within(b)), ...base.slice(to)]
}

/** Where a side differs from the base, from the first line that does to the last. */
function hunkOf(base: readonly string[], side: readonly string[]): Hunk | undefined {
  let from = 0
  while (from < base.length && from < side.length && base[from] === side[from]) from += 1
  if (from === base.length && from === side.length) return undefined
  let same = 0
  const most = Math.min(base.length, side.length) - from
  while (same < most && base.at(-1 - same) === side.at(-1 - same)) same += 1
  return { from, to: base.length - same, lines: side.slice(from, side.length - same) }
}

/** All lines of one, and those of the other that it has not. */
function joinLines(one: readonly string[], other: readonly string[]): string[] {
  const known = new Set(one.map((line) => line.trimEnd()))
  return [...one, ...other.filter((line) => !known.has(line.trimEnd()))]
}
