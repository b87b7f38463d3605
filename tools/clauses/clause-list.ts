export type Clause = { id: string; area: string; gap: boolean; text: string }

const heading = /^## ([A-Z]+) — /
const item = /^- \*\*([A-Z]+-G?\d+)\*\* (.+)$/

export const parseClauses = (markdown: string): Clause[] => {
  const clauses: Clause[] = []
  let area: string | undefined
  for (const line of markdown.split('\n')) {
    if (line.startsWith('## ')) area = heading.exec(line)?.[1]
    const [, id, text] = item.exec(line) ?? []
    if (area === undefined || id === undefined || text === undefined) continue
    if (!id.startsWith(`${area}-`)) throw new Error(`${id} stands in the section of ${area}`)
    if (clauses.some((clause) => clause.id === id)) throw new Error(`${id} is listed twice`)
    clauses.push({ id, area, gap: id.startsWith(`${area}-G`), text: text.replace(/^\(gap\) /, '') })
  }
  if (clauses.length === 0) throw new Error('no clause found in the list')
  return clauses
}

export const listAreas = (clauses: readonly Clause[]): string[] => [
  ...new Set(clauses.map(({ area }) => area)),
]

const missingFrom = (left: readonly Clause[], right: readonly Clause[]): string[] => {
  const known = new Set(right.map(({ id }) => id))
  return left.map(({ id }) => id).filter((id) => !known.has(id))
}

export const compareIds = (spec: readonly Clause[], copy: readonly Clause[]): string[] => [
  ...missingFrom(spec, copy).map((id) => `${id} is missing in the copy`),
  ...missingFrom(copy, spec).map((id) => `${id} is only in the copy`),
]

// Any id of a known area, wherever it stands in the text. `DESK-05 to DESK-08` names all four.
export const findIds = (text: string, areas: readonly string[]): string[] => {
  const id = `((?:${areas.join('|')})-G?)(\\d+)(?![\\w-])`
  const found = text.matchAll(new RegExp(`(?<![\\w-])${id}(?: to \\1(\\d+)(?![\\w-]))?`, 'g'))
  return [...found].flatMap(([, kind = '', first = '', last = first]) => rangeOf(kind, first, last))
}

const rangeOf = (kind: string, first: string, last: string): string[] =>
  Array.from(
    { length: Math.max(1, Number(last) - Number(first) + 1) },
    (_, n) => `${kind}${String(Number(first) + n).padStart(first.length, '0')}`,
  )

// At the start of a title an id is meant, so there a misspelt area is seen too.
export const leadingIds = (title: string): string[] =>
  /^(?:[A-Z]{2,5}-(?:\d\d|G\d+)(?:[\s,:]+|$))+/.exec(title)?.[0].match(/[A-Z]+-G?\d+/g) ?? []
