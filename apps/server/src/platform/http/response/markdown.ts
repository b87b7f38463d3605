/**
 * An answer as Markdown: scalars as a list of facts, lists of objects as tables, objects as sections.
 * Values are data, so nothing in them may become markup: a title cannot forge a heading or a table cell.
 */
export function markdown(value: unknown, level = 2): string {
  if (Array.isArray(value)) return `${list(value)}\n`
  if (!isObject(value)) return `${cell(value)}\n`
  const entries = Object.entries(value)
  const facts = entries
    .filter(([, inner]) => !isNested(inner))
    .map(([key, inner]) => `- **${key}**: ${cell(inner)}`)
  const sections = entries
    .filter(([, inner]) => isNested(inner))
    .map(([key, inner]) => `${'#'.repeat(Math.min(level, 6))} ${cell(key)}\n\n${markdown(inner, level + 1)}`)
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

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value)) return value.map(cell).join(', ')
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  // An address would become a link by itself, together with the characters after it.
  return text.replace(/[\\`*_[\]<>|#&~@]|:(?=\/\/)|(?<=www)\./gi, '\\$&').replace(/[\r\n\u2028\u2029]+/g, ' ')
}
