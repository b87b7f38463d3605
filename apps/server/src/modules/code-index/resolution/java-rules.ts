import type { Evaluator } from './evaluate.ts'
import {
  definitionAt,
  definitionOf,
  external,
  type Imported,
  type LanguageRules,
  memberInFile,
  type Place,
  type SourceFile,
  type Value,
} from './values.rules.ts'

/** Java: types by package and name; names by class, outer class, base, import and package. */
export class JavaRules implements LanguageRules {
  readonly #evaluator: Evaluator
  readonly #types = new Map<string, Place[]>()
  readonly #folders = new Map<string, Set<string>>()
  readonly #prefixes = new Set<string>()

  constructor(evaluator: Evaluator, files: ReadonlyMap<string, SourceFile>) {
    this.#evaluator = evaluator
    for (const file of files.values()) {
      if (file.family !== 'java') continue
      const name = file.facts.package ?? ''
      this.#folders.set(name, (this.#folders.get(name) ?? new Set()).add(file.folder))
      for (let part = name; part !== ''; part = part.slice(0, Math.max(0, part.lastIndexOf('.'))))
        this.#prefixes.add(part)
      file.facts.definitions.forEach((definition, at) => {
        if (definition.parent >= 0) return
        const key = name === '' ? definition.name : `${name}.${definition.name}`
        this.#types.set(key, [...(this.#types.get(key) ?? []), { file, at }])
      })
    }
  }

  imports(file: SourceFile): Imported[] {
    return file.facts.imports.map(({ from, names, wildcard, form }) => {
      const type = this.#typeAt(file, from)
      if (wildcard && !type) {
        const folders = [...(this.#folders.get(from) ?? [])].sort()
        return { paths: folders, symbols: [], isOutside: folders.length === 0 }
      }
      if (!type) return { paths: [], symbols: [], isOutside: !this.#isInside(from) }
      const symbols = wildcard
        ? []
        : names.map(([name]) => (form === 'static' ? this.#static(type, name) : asValue(type)))
      return { paths: [type.file.path], symbols }
    })
  }

  /** A member that is imported; the type itself for a field, which is no node. */
  #static(type: Place, name: string): Value {
    const member = this.#evaluator.member(asValue(type), name)
    return member?.kind === 'definition' ? member : asValue(type)
  }

  lookup(place: Place, name: string): Value | undefined {
    const isMethod = name.endsWith('()')
    const plain = isMethod ? name.slice(0, -2) : name
    let isOpen = false
    for (const type of enclosing(place)) {
      if (!isMethod && lastName(type) === plain) return asValue(type)
      const found = this.#evaluator.member(asValue(type), plain)
      if (found?.kind === 'external') isOpen = true
      else if (found) return found
    }
    const fixed = this.#imported(place.file, plain, isMethod)
    if (fixed) return fixed
    if (isMethod) return isOpen ? external : undefined
    const type = this.#visibleType(place.file, plain)
    if (type) return asValue(type)
    if (this.#prefixes.has(plain)) return { kind: 'package', family: 'java', name: plain }
    return { kind: 'builtin', name: plain, isInstance: false }
  }

  offered(value: Value & { kind: 'module' | 'package' }, name: string): Value | undefined {
    if (value.kind !== 'package') return undefined
    const whole = `${value.name}.${name}`
    const [type] = this.#types.get(whole) ?? []
    if (type) return asValue(type)
    return this.#prefixes.has(whole) ? { ...value, name: whole } : undefined
  }

  ownMember(type: Place, name: string): Place | undefined {
    return memberInFile(type, name)
  }

  /** What single and static imports give; `import static a.B.*` gives members of B. */
  #imported(file: SourceFile, name: string, isMethod: boolean): Value | undefined {
    let isOpen = false
    for (const { from, names, wildcard, form } of file.facts.imports) {
      const isNamed = names.some(([, here]) => here === name)
      if (!isNamed && !(wildcard && form === 'static')) continue
      if (isMethod && form !== 'static') continue
      const type = this.#typeAt(file, from)
      if (!type) {
        if (isNamed) return this.#isInside(from) ? undefined : external
        isOpen = true
        continue
      }
      if (form !== 'static') return asValue(type)
      const member = this.#evaluator.member(asValue(type), name)
      if (member && member.kind !== 'external') return member
    }
    return isOpen && isMethod ? external : undefined
  }

  #visibleType(file: SourceFile, name: string): Place | undefined {
    const own = file.byName.get(name)
    if (own !== undefined) return { file, at: own }
    const here = file.facts.package ?? ''
    const inPackage = this.#nearest(file, here === '' ? name : `${here}.${name}`)
    if (inPackage) return inPackage
    for (const { from, wildcard, form } of file.facts.imports) {
      const found = wildcard && form !== 'static' ? this.#typeAt(file, `${from}.${name}`) : undefined
      if (found) return found
    }
    return undefined
  }

  #isInside(from: string): boolean {
    const holder = from.slice(0, Math.max(0, from.lastIndexOf('.')))
    return this.#folders.has(holder) || this.#typeNamed(holder) !== undefined
  }

  #typeNamed(name: string): Place | undefined {
    return this.#types.get(name)?.[0]
  }

  /** `a.b.C`, or `a.b.C.Inner`. */
  #typeAt(file: SourceFile, whole: string): Place | undefined {
    const parts = whole.split('.')
    for (let end = parts.length; end > 0; end -= 1) {
      const top = this.#nearest(file, parts.slice(0, end).join('.'))
      if (!top) continue
      return parts.slice(end).reduce<Place | undefined>((type, name) => type && memberInFile(type, name), top)
    }
    return undefined
  }

  /** Of several types with one name, the one whose path has most in common with the file that asks. */
  #nearest(file: SourceFile, whole: string): Place | undefined {
    const all = this.#types.get(whole) ?? []
    return all.reduce<Place | undefined>(
      (best, each) =>
        best && shared(file.path, best.file.path) >= shared(file.path, each.file.path) ? best : each,
      undefined,
    )
  }
}

const asValue = ({ file, at }: Place): Value => definitionAt(file, at)
const lastName = (place: Place): string => definitionOf(place)?.name.split('.').at(-1) ?? ''

function shared(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at += 1
  return at
}

/** Types around a place, from the inside. */
function enclosing({ file, at }: Place): Place[] {
  const found: Place[] = []
  for (let here = at; here >= 0; here = file.facts.definitions[here]?.parent ?? -1) {
    const kind = file.facts.definitions[here]?.kind
    if (kind === 'class' || kind === 'interface') found.push({ file, at: here })
  }
  return found
}
