import type { FactsBuilder } from './facts-builder.ts'

/** A `use` declaration, with one fact for each name it takes. */
export function readUse(builder: FactsBuilder, node: number): void {
  if (builder.isLocal && builder.owner < 0) return
  const { syntax, imports } = builder
  const scope = moduleAround(builder)
  const reexport = syntax.child(node, 'visibility_modifier') !== 0
  const more = { form: 'use' as const, scope, ...(reexport ? { reexport: true as const } : {}) }
  const add = (path: readonly string[], alias?: string) => {
    const name = path.at(-1) ?? ''
    imports.push({ from: path.slice(0, -1).join('::'), names: [[name, alias ?? name]], ...more })
  }
  const read = (part: number, before: readonly string[]): void => {
    const pathOf = (each: number) => [...before, ...segments(syntax.textOf(each))]
    switch (syntax.kind(part)) {
      case 'use_list':
        for (const each of syntax.children(part)) read(each, before)
        break
      case 'scoped_use_list': {
        const path = syntax.field(part, 'path')
        read(syntax.field(part, 'list'), path === 0 ? before : pathOf(path))
        break
      }
      case 'use_as_clause':
        add(pathOf(syntax.field(part, 'path')), syntax.textOf(syntax.field(part, 'alias')))
        break
      case 'use_wildcard': {
        const path = syntax.first(part)
        imports.push({
          from: (path === 0 ? before : pathOf(path)).join('::'),
          names: [],
          wildcard: true,
          ...more,
        })
        break
      }
      case 'self':
        if (before.length > 0) add(before)
        break
      default:
        add(pathOf(part))
    }
  }
  read(syntax.field(node, 'argument'), [])
}

const segments = (text: string): string[] =>
  text
    .split('::')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** The inline module around; a `use` inside a function counts for the module. */
function moduleAround(builder: FactsBuilder): number {
  let at = builder.holder
  while (at >= 0 && builder.get(at)?.kind !== 'module') at = builder.get(at)?.parent ?? -1
  return at
}
