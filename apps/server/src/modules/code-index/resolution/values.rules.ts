import type { Definition, Expr, FileFacts } from '../extraction/facts.rules.ts'
import type { Family } from '../extraction/languages.rules.ts'

/** A file that was read, with what is looked up in it often. */
export interface SourceFile {
  readonly path: string
  readonly folder: string
  readonly family: Family
  readonly facts: FileFacts
  /** Positions of definitions by qualified name. */
  readonly byName: ReadonlyMap<string, number>
}

/** Where a name is looked up: in a file, as seen from a definition or, at -1, from its top. */
export interface Place {
  readonly file: SourceFile
  readonly at: number
}

/** Arguments of a type, to be evaluated where they were written. */
export interface TypeArguments {
  readonly exprs: readonly Expr[]
  readonly place: Place
}

/**
 * What an expression is: a definition, an instance of one, a module (a file, or an inline module at `at`), a package
 * (a folder and what is in it), a name that this repository does not define, or something outside of it.
 */
export type Value =
  | {
      readonly kind: 'definition'
      readonly file: SourceFile
      readonly at: number
      readonly args?: TypeArguments
    }
  | {
      readonly kind: 'instance'
      readonly file: SourceFile
      readonly at: number
      readonly args?: TypeArguments
    }
  | { readonly kind: 'module'; readonly file: SourceFile; readonly at: number }
  | { readonly kind: 'package'; readonly family: Family; readonly name: string }
  | {
      readonly kind: 'builtin'
      readonly name: string
      readonly isInstance: boolean
      readonly args?: TypeArguments
    }
  | { readonly kind: 'external' }

export const external: Value = { kind: 'external' }
export const definitionAt = (file: SourceFile, at: number): Value => ({ kind: 'definition', file, at })
export const moduleOf = (file: SourceFile, at = -1): Value => ({ kind: 'module', file, at })

export const isOutside = (value: Value | undefined): boolean =>
  value?.kind === 'external' || value?.kind === 'builtin'

export const definitionOf = ({ file, at }: Place): Definition | undefined => file.facts.definitions[at]

/** The definition with a qualified name in a file. */
export const named = (file: SourceFile, name: string): Value | undefined => {
  const at = file.byName.get(name)
  return at === undefined ? undefined : definitionAt(file, at)
}

/** What an import leads to. */
export interface Imported {
  /** Paths of files, or of folders. */
  readonly paths: readonly string[]
  readonly symbols: readonly Value[]
  /** It names something outside of the repository. */
  readonly isOutside?: boolean
}

/** What differs between languages. */
export interface LanguageRules {
  /** One entry for each import of the file. */
  imports(file: SourceFile): readonly Imported[]
  /** A name as seen from a place. */
  lookup(place: Place, name: string): Value | undefined
  /** A name that a module or package offers. */
  offered(value: Value & { kind: 'module' | 'package' }, name: string): Value | undefined
  /** A member that a type declares itself, wherever the language lets it stand. */
  ownMember(type: Place, name: string): Place | undefined
}

/** Members declared inside the type's own body. */
export const memberInFile = ({ file, at }: Place, name: string): Place | undefined => {
  const holder = file.facts.definitions[at]
  const found = holder ? file.byName.get(`${holder.name}.${name}`) : undefined
  return found === undefined ? undefined : { file, at: found }
}
