import type { Violation } from './repo-files.ts'
import { resolveImport, type Workspace } from './resolve-import.ts'
import type { Source } from './scan.ts'

type Edge = { to: string; line: number }

const valueEdges = (sources: readonly Source[], workspaces: readonly Workspace[]): Map<string, Edge[]> => {
  const known = new Set(sources.map(({ path }) => path))
  return new Map(
    sources.map(({ path, imports }) => [
      path,
      imports
        .filter((each) => !each.typeOnly)
        .flatMap(({ specifier, line }) => {
          const target = resolveImport(path, specifier, workspaces)
          return target.kind === 'file' && known.has(target.path) ? [{ to: target.path, line }] : []
        }),
    ]),
  )
}

// Depth first, keeping the way walked: an edge back onto that way closes a cycle.
export const checkCycles = (sources: readonly Source[], workspaces: readonly Workspace[]): Violation[] => {
  const edges = valueEdges(sources, workspaces)
  const done = new Set<string>()
  const way: string[] = []
  const violations: Violation[] = []
  const visit = (path: string): void => {
    way.push(path)
    for (const { to, line } of edges.get(path) ?? []) {
      const start = way.indexOf(to)
      if (start >= 0) {
        const message = [...way.slice(start), to].join(' -> ')
        violations.push({ path, line, rule: 'cycle', message })
      } else if (!done.has(to)) visit(to)
    }
    way.pop()
    done.add(path)
  }
  for (const path of [...edges.keys()].sort()) if (!done.has(path)) visit(path)
  return violations
}
