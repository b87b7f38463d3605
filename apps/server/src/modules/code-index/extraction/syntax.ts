import { type Language, Parser, type Tree } from 'web-tree-sitter'

/**
 * The functions of the parser's own module that a cursor calls. The cursor of the library copies itself in and out of
 * shared memory at every step, which takes as long as parsing; this does the steps alone. `syntax.test.ts` compares
 * the result with the library's own nodes.
 */
export interface CursorSteps {
  readonly HEAPU8?: Uint8Array
  _ts_tree_cursor_goto_first_child_wasm(tree: number): number
  _ts_tree_cursor_goto_next_sibling_wasm(tree: number): number
  _ts_tree_cursor_goto_parent_wasm(tree: number): number
  _ts_tree_cursor_current_node_type_id_wasm(tree: number): number
  _ts_tree_cursor_current_field_id_wasm(tree: number): number
  _ts_tree_cursor_start_index_wasm(tree: number): number
  _ts_tree_cursor_end_index_wasm(tree: number): number
}

let starting: Promise<CursorSteps> | undefined

/** The parser's module puts its functions on the object it is given, the first time that it is started in a thread. */
export function startParser(): Promise<CursorSteps> {
  const module = {}
  starting ??= Parser.init(module).then(() => module as CursorSteps)
  return starting
}

/** Names of node types and fields of a grammar, by their numbers. */
export class GrammarNames {
  readonly kinds: readonly string[]
  readonly isNamed: readonly boolean[]
  readonly #fields = new Map<string, number>()

  constructor(language: Language) {
    this.kinds = language.types
    this.isNamed = language.types.map((_, id) => language.nodeTypeIsNamed(id))
    language.fields.forEach((name, id) => {
      if (name !== null) this.#fields.set(name, id)
    })
  }

  fieldId(name: string): number {
    return this.#fields.get(name) ?? -1
  }
}

const errorType = 65_535
export const root = 1

/** The named nodes of a tree as plain arrays. A node is its position: 0 is none, 1 the root. */
export class Syntax {
  readonly text: string
  readonly #names: GrammarNames
  readonly #type: number[] = [errorType]
  readonly #field: number[] = [0]
  readonly #start: number[] = [0]
  readonly #end: number[] = [0]
  readonly #first: number[] = [0]
  readonly #next: number[] = [0]
  readonly #parent: number[] = [0]
  hasError = false
  /** How many named nodes stand inside of each other. */
  depth = 0
  #lines: number[] | undefined

  constructor(text: string, tree: Tree, names: GrammarNames, steps: CursorSteps) {
    this.text = text
    this.#names = names
    // Making the cursor leaves it in shared memory, where each step finds it and leaves it again.
    const cursor = tree.walk()
    this.#read((tree as unknown as readonly [number])[0], steps)
    cursor.delete()
  }

  #read(tree: number, steps: CursorSteps): void {
    const { isNamed } = this.#names
    const last: number[] = []
    let parent = 0
    let level = 0
    for (;;) {
      const type = steps._ts_tree_cursor_current_node_type_id_wasm(tree)
      if (isNamed[type] || type === errorType || parent === 0) {
        const at = this.#type.length
        if (type === errorType) this.hasError = true
        this.#type.push(type)
        this.#field.push(steps._ts_tree_cursor_current_field_id_wasm(tree))
        this.#start.push(steps._ts_tree_cursor_start_index_wasm(tree))
        this.#end.push(steps._ts_tree_cursor_end_index_wasm(tree))
        this.#first.push(0)
        this.#next.push(0)
        this.#parent.push(parent)
        if (parent > 0) {
          const before = last[parent] ?? 0
          if (before === 0) this.#first[parent] = at
          else this.#next[before] = at
          last[parent] = at
        }
        if (steps._ts_tree_cursor_goto_first_child_wasm(tree) === 1) {
          last[at] = 0
          parent = at
          level += 1
          if (level > this.depth) this.depth = level
          continue
        }
      }
      while (steps._ts_tree_cursor_goto_next_sibling_wasm(tree) !== 1) {
        if (parent <= 1 || steps._ts_tree_cursor_goto_parent_wasm(tree) !== 1) return
        parent = this.#parent[parent] ?? 0
        level -= 1
      }
    }
  }

  /** How many positions there are. */
  get size(): number {
    return this.#type.length
  }

  kind(node: number): string {
    const type = this.#type[node] ?? errorType
    return type === errorType ? 'ERROR' : (this.#names.kinds[type] ?? '')
  }

  start(node: number): number {
    return this.#start[node] ?? 0
  }

  end(node: number): number {
    return this.#end[node] ?? 0
  }

  parent(node: number): number {
    return this.#parent[node] ?? 0
  }

  textOf(node: number): string {
    return this.text.slice(this.#start[node], this.#end[node])
  }

  /** The first child with this field, or 0. */
  field(node: number, name: string): number {
    const id = this.#names.fieldId(name)
    for (let child = this.#first[node] ?? 0; child !== 0; child = this.#next[child] ?? 0) {
      if (this.#field[child] === id) return child
    }
    return 0
  }

  fields(node: number, name: string): number[] {
    const id = this.#names.fieldId(name)
    return this.children(node).filter((child) => this.#field[child] === id)
  }

  first(node: number): number {
    return this.#first[node] ?? 0
  }

  next(node: number): number {
    return this.#next[node] ?? 0
  }

  children(node: number): number[] {
    const children: number[] = []
    for (let child = this.#first[node] ?? 0; child !== 0; child = this.#next[child] ?? 0) children.push(child)
    return children
  }

  /** The first child of one of these kinds, or 0. */
  child(node: number, ...kinds: readonly string[]): number {
    for (let child = this.#first[node] ?? 0; child !== 0; child = this.#next[child] ?? 0) {
      if (kinds.includes(this.kind(child))) return child
    }
    return 0
  }

  /** Line of a position, from 1. */
  lineAt(index: number): number {
    this.#lines ??= lineStarts(this.text)
    let low = 0
    let high = this.#lines.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#lines[middle] ?? 0) <= index) low = middle
      else high = middle
    }
    return low + 1
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
