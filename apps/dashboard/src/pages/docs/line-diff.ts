/** A line of a comparison: in both texts, only in the first, or only in the second. */
export interface DiffLine {
  readonly kind: 'same' | 'first' | 'second'
  readonly text: string
}

/** More pairs of lines than this are not compared one by one: the parts that differ are shown as a whole. */
const mostPairs = 4_000_000

/** What makes one text into another, line by line, with as few lines as possible. */
export function diffLines(first: string, second: string): readonly DiffLine[] {
  const [a, b] = [first.split('\n'), second.split('\n')]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end += 1
  const told = (kind: DiffLine['kind'], lines: readonly string[]) => lines.map((text) => ({ kind, text }))
  return [
    ...told('same', a.slice(0, start)),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...told('same', a.slice(a.length - end)),
  ]
}

function middle(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const lines: DiffLine[] = []
  const take = (kind: DiffLine['kind'], text: string | undefined) => lines.push({ kind, text: text ?? '' })
  if (a.length * b.length > mostPairs) {
    for (const text of a) take('first', text)
    for (const text of b) take('second', text)
    return lines
  }
  const common = longestCommon(a, b)
  const width = b.length + 1
  let [x, y] = [0, 0]
  while (x < a.length || y < b.length) {
    if (x < a.length && y < b.length && a[x] === b[y]) {
      take('same', a[x])
      x += 1
      y += 1
    } else if (
      y >= b.length ||
      (x < a.length && (common[(x + 1) * width + y] ?? 0) >= (common[x * width + y + 1] ?? 0))
    ) {
      take('first', a[x])
      x += 1
    } else {
      take('second', b[y])
      y += 1
    }
  }
  return lines
}

/** How many lines the rests of both texts have in common, from each pair of places on. */
function longestCommon(a: readonly string[], b: readonly string[]): Uint32Array {
  const width = b.length + 1
  const common = new Uint32Array((a.length + 1) * width)
  for (let x = a.length - 1; x >= 0; x -= 1)
    for (let y = b.length - 1; y >= 0; y -= 1)
      common[x * width + y] =
        a[x] === b[y]
          ? (common[(x + 1) * width + y + 1] ?? 0) + 1
          : Math.max(common[(x + 1) * width + y] ?? 0, common[x * width + y + 1] ?? 0)
  return common
}
