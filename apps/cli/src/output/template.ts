import { failed } from '../failure.ts'

type Node =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly path: readonly string[]; readonly json: boolean }
  | {
      readonly kind: 'range' | 'if'
      readonly path: readonly string[]
      readonly inside: readonly Node[]
      readonly otherwise: readonly Node[]
    }

/**
 * A small part of the templates of Go, as `gh` has them: `{{.a.b}}`, `{{json .a}}`, `{{range .items}}…{{else}}…{{end}}`,
 * `{{if .a}}…{{else}}…{{end}}` and `{{"\n"}}`.
 */
export function fillTemplate(template: string, value: unknown): string {
  const parts = template.split(/(\{\{.*?\}\})/s)
  let at = 0
  const read = (depth: number): { nodes: Node[]; ended: string } => {
    const nodes: Node[] = []
    while (at < parts.length) {
      const part = parts[at] ?? ''
      at += 1
      if (!part.startsWith('{{')) {
        if (part !== '') nodes.push({ kind: 'text', text: part })
        continue
      }
      const words = part.slice(2, -2).trim()
      if (words === 'end' || words === 'else') {
        if (depth === 0) throw failed(`the template has {{${words}}} without a beginning`)
        return { nodes, ended: words }
      }
      nodes.push(nodeOf(words, () => read(depth + 1)))
    }
    if (depth > 0) throw failed('the template lacks {{end}}')
    return { nodes, ended: '' }
  }
  return read(0)
    .nodes.map((node) => filled(node, value))
    .join('')
}

function nodeOf(words: string, inner: () => { nodes: Node[]; ended: string }): Node {
  const block = /^(range|if)\s+(\S+)$/.exec(words)
  if (block) {
    const inside = inner()
    const otherwise = inside.ended === 'else' ? inner().nodes : []
    return { kind: block[1] as 'range' | 'if', path: pathOf(block[2] ?? ''), inside: inside.nodes, otherwise }
  }
  if (/^"(?:[^"\\]|\\.)*"$/.test(words)) {
    try {
      return { kind: 'text', text: JSON.parse(words) as string }
    } catch {
      throw failed(`the template has a text that cannot be read: ${words}`)
    }
  }
  const json = /^json\s+/.test(words)
  return { kind: 'value', path: pathOf(words.replace(/^json\s+/, '')), json }
}

function pathOf(words: string): string[] {
  if (words === '.') return []
  if (!/^(\.[A-Za-z_]\w*)+$/.test(words)) throw failed(`the template has {{${words}}}, which is not a field`)
  return words.slice(1).split('.')
}

function filled(node: Node, value: unknown): string {
  if (node.kind === 'text') return node.text
  const found = at(value, node.path)
  if (node.kind === 'value') return node.json ? JSON.stringify(found ?? null) : plain(found)
  if (node.kind === 'if')
    return (isSomething(found) ? node.inside : node.otherwise).map((each) => filled(each, value)).join('')
  const items = Array.isArray(found) ? found : []
  if (items.length === 0) return node.otherwise.map((each) => filled(each, value)).join('')
  return items.flatMap((item) => node.inside.map((each) => filled(each, item))).join('')
}

const isSomething = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))

/** What a path of names leads to. */
export function at(value: unknown, path: readonly string[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string, unknown>)[name]
  }
  return found
}

/** A value as people read it in a cell. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null))
    return value.map(plain).join(', ')
  if (typeof value === 'object' && !Array.isArray(value)) {
    const { name, ref, title, id } = value as Record<string, unknown>
    const named = name ?? ref ?? title ?? id
    if (typeof named === 'string' || typeof named === 'number') return String(named)
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
