import { type AnyRoute, definitionOf } from './route.ts'

type RoutesOf<Namespace> = {
  readonly [Name in keyof Namespace as Namespace[Name] extends AnyRoute ? Name : never]: Namespace[Name]
}
type Merged<Namespaces extends readonly object[]> = Namespaces extends readonly [
  infer First,
  ...infer Rest extends readonly object[],
]
  ? RoutesOf<First> & Merged<Rest>
  : unknown

/** The routes that these contract files export, by name, in the order of the files and of their definition. */
export function routesIn<const Namespaces extends readonly object[]>(
  ...namespaces: Namespaces
): Merged<Namespaces> {
  const found: Record<string, unknown> = {}
  for (const namespace of namespaces) {
    const routes = Object.entries(namespace)
      .map(([name, value]) => ({ name, value, at: definitionOf(value) ?? -1 }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)
    for (const { name, value } of routes) {
      if (name in found) throw new Error(`two routes are named ${name}`)
      found[name] = value
    }
  }
  return found as Merged<Namespaces>
}
