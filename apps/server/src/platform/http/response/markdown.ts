/**
 * An answer as Markdown: scalars as a list of facts, lists of objects as tables, objects as sections.
 * Values are data, so nothing in them may become markup: a title cannot forge a heading or a table cell.
 */
export const markdown = (value: unknown): string => rendered(value, 2, list)

/** The same, but a list of steps is one with check marks: `[x]` done, `[ ]` pending, `[!]` failed, `[-]` blocked. */
export const checklist = (value: unknown): string =>
  rendered(value, 2, (items) => (items.length > 0 && items.every(isStep) ? steps(items) : list(items)))

type DrawList = (items: readonly unknown[]) => string

function rendered(value: unknown, level: number, draw: DrawList): string {
  if (Array.isArray(value)) return `${draw(value)}\n`
  if (!isObject(value)) return `${cell(value)}\n`
  const entries = Object.entries(value)
  const facts = entries
    .filter(([, inner]) => !isNested(inner))
    .map(([key, inner]) => `- **${key}**: ${cell(inner)}`)
  const sections = entries
    .filter(([, inner]) => isNested(inner))
    .map(
      ([key, inner]) =>
        `${'#'.repeat(Math.min(level, 6))} ${cell(key)}\n\n${rendered(inner, level + 1, draw)}`,
    )
  return [...(facts.length > 0 ? [`${facts.join('\n')}\n`] : []), ...sections].join('\n')
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isNested = (value: unknown): boolean =>
  (isObject(value) && Object.keys(value).length > 0) || (Array.isArray(value) && value.some(isObject))

function list(items: readonly unknown[]): string {
  if (items.length === 0) return '(none)'
  if (!items.every(isObject)) return items.map((item) => `- ${cell(item)}`).join('\n')
  const columns = [...new Set(items.flatMap((item) => Object.keys(item)))]
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rows = items.map((item) => row(columns.map((column) => cell(item[column]))))
  return [row(columns.map(cell)), row(columns.map(() => '---')), ...rows].join('\n')
}

interface Step {
  readonly title: unknown
  readonly state: keyof typeof marks
  readonly reason?: unknown
  readonly hint?: unknown
}
const marks = { done: '[x]', pending: '[ ]', failed: '[!]', blocked: '[-]' } as const

const isStep = (item: unknown): item is Step =>
  isObject(item) && 'title' in item && Object.hasOwn(marks, String(item.state))

function steps(items: readonly Step[]): string {
  return items
    .map(({ title, state, reason, hint }) => {
      const facts = [state, reason].filter((fact) => fact !== null && fact !== undefined).map(word)
      const line = `- ${marks[state]} ${cell(title)}: ${facts.join(', ')}`
      return hint === null || hint === undefined ? line : `${line}\n  ${cell(hint)}`
    })
    .join('\n')
}

/** A word of ours as code, where nothing has to be escaped. */
const word = (value: unknown): string => (/^[a-z_:]+$/.test(String(value)) ? `\`${value}\`` : cell(value))

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value)) return value.map(cell).join(', ')
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  // An address would become a link by itself, together with the characters after it.
  return text.replace(/[\\`*_[\]<>|#&~@]|:(?=\/\/)|(?<=www)\./gi, '\\$&').replace(/[\r\n\u2028\u2029]+/g, ' ')
}
