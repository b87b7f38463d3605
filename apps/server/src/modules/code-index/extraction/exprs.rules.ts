import type { Expr } from './facts.rules.ts'

/** Longer chains say nothing that can be followed, and would be copied into every call along the chain. */
const deepest = 10
/** What is nested deeper is not read for a value: each call of a long chain would read all of it. */
export const deepestNode = 100

const depths = new WeakMap<object, number>()
const depthOf = (expr: Expr): number => (expr === null ? 0 : (depths.get(expr) ?? 1))

function over<T extends NonNullable<Expr>>(inner: Expr, make: () => T): Expr {
  const depth = depthOf(inner) + 1
  if (inner === null || depth > deepest) return null
  const made = make()
  depths.set(made, depth)
  return made
}

export const nameExpr = (name: string): Expr => ['n', name]
export const memberExpr = (of: Expr, name: string): Expr => over(of, () => ['m', of, name])
export const callExpr = (callee: Expr): Expr => over(callee, () => ['c', callee])
export const instanceExpr = (type: Expr): Expr => over(type, () => ['i', type])
export const elementExpr = (of: Expr): Expr => over(of, () => ['e', of])
export const awaitExpr = (of: Expr): Expr => over(of, () => ['a', of])
export const genericExpr = (type: Expr, args: readonly Expr[]): Expr =>
  args.every((arg) => arg === null) ? type : over(type, () => ['g', type, args])

/** `a.b.c` as a chain of members. */
export const pathExpr = (path: string, separator = '.'): Expr => {
  const [first = '', ...rest] = path.split(separator)
  return rest.reduce<Expr>((of, name) => memberExpr(of, name.trim()), nameExpr(first.trim()))
}
