/** A record in the order of the file; `parent` is undefined where the format, or this line, names none. */
export interface BranchNode {
  readonly id: string | null
  readonly parent: string | null | undefined
}

/**
 * Which records lead to `leaf`: those a person sees who opens the session again. Earlier attempts that were rewound
 * are on other branches. A record whose parent is not in the file continues the one before it: the parent stood on a
 * broken line, or in a file that this one continues, and the conversation before it must not be lost with it.
 */
export function branchTo(nodes: readonly BranchNode[], leaf: number): Set<number> {
  const places = new Map<string, number>()
  for (const [at, { id }] of nodes.entries()) if (id !== null && !places.has(id)) places.set(id, at)

  const branch = new Set<number>()
  let at: number | undefined = leaf >= 0 ? leaf : undefined
  // A place seen before closes a circle, which only a damaged file has.
  while (at !== undefined && !branch.has(at)) {
    branch.add(at)
    const parent: string | null | undefined = nodes[at]?.parent
    const named: number | undefined = typeof parent === 'string' ? places.get(parent) : undefined
    at = named ?? (at > 0 ? at - 1 : undefined)
  }
  return branch
}
