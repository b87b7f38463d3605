import { fitted, padded, widthOf } from './text-width.ts'

export interface TableOptions {
  readonly columns: number
  readonly head: (text: string) => string
}

const gap = 2
/** No column is made narrower than this while another has more. */
const least = 6

/** Rows of visible text as lines, none longer than the terminal is wide. */
export function tableLines(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  { columns, head }: TableOptions,
): string[] {
  const shown = fittingCount(names.length, columns)
  const widths = widthsFor(
    names
      .slice(0, shown)
      .map((name, at) => Math.max(widthOf(name), ...rows.map((row) => widthOf(row[at] ?? '')))),
    columns,
  )
  const line = (cells: readonly string[]): string =>
    widths
      .map((width, at) => {
        const text = fitted(cells[at] ?? '', width)
        return at === widths.length - 1 ? text : padded(text, width)
      })
      .join(' '.repeat(gap))
      .trimEnd()
  return [head(line(names.map((name) => name.toUpperCase()))), ...rows.map((row) => line(row))]
}

/** On a very narrow terminal the last columns are left out rather than shown as dots. */
const fittingCount = (count: number, columns: number): number =>
  Math.max(1, Math.min(count, Math.floor((columns + gap) / (least + gap))))

/** Takes from the widest until all fit. */
function widthsFor(natural: readonly number[], columns: number): number[] {
  const widths = [...natural]
  let over = widths.reduce((sum, width) => sum + width, gap * (widths.length - 1)) - columns
  while (over > 0) {
    const widest = Math.max(...widths)
    if (widest <= 1) break
    const next = Math.max(1, ...widths.filter((width) => width < widest))
    const those = widths.flatMap((width, at) => (width === widest ? [at] : []))
    const each = Math.min(widest - next || 1, Math.ceil(over / those.length))
    for (const at of those) {
      const less = Math.min(each, over)
      widths[at] = widest - less
      over -= less
      if (over <= 0) break
    }
  }
  return widths
}
