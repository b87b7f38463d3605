// What one blob says about itself. Nothing here depends on another file or on the path, so facts are cached by blob.

/** Raised whenever the same text would give other facts: cached facts of older versions are not read again. */
export const extractorVersion = '5'

/**
 * A value as the text names it, to be evaluated when all files are known. `null` is a value nobody can know.
 * n: a name visible in the file; d: a definition of this file; self, super: an instance of a class of this file, or
 * of its base; m: a member; c: what a call returns; i: an instance of a type; g: a type with arguments; e: an
 * element of a collection; a: what is left after waiting or unwrapping.
 */
export type Expr =
  | null
  | readonly ['n', string]
  | readonly ['d', number]
  | readonly ['self', number]
  | readonly ['super', number]
  | readonly ['m', Expr, string]
  | readonly ['c', Expr]
  | readonly ['i', Expr]
  | readonly ['g', Expr, readonly Expr[]]
  | readonly ['e', Expr]
  | readonly ['a', Expr]

export type DefinitionKind =
  | 'function'
  | 'class'
  | 'interface'
  | 'method'
  | 'constant'
  | 'module'
  | 'type'
  | 'macro'

export interface Definition {
  /** Qualified by what holds it in the file: `Store.find`. */
  readonly name: string
  readonly kind: DefinitionKind
  /** Position of the holder, or -1. */
  readonly parent: number
  /** First and last line, from 1. */
  readonly lines: readonly [number, number]
  readonly body_hash: string | null
  readonly bases?: readonly Expr[]
  /** Values of fields that are no definitions of their own. */
  readonly fields?: Readonly<Record<string, Expr>>
  /** The type of a method that stands outside of it. */
  readonly of?: Expr
  /** What a call returns. */
  readonly result?: Expr
  /** What a constant holds, or what a type is another name of. */
  readonly value?: Expr
}

export interface ImportFact {
  /** As written: a path, a package, a module, or a Rust path with `::`. */
  readonly from: string
  /**
   * Names taken, as [name there, name here]; `*` there is the module itself, `default` its default, `=` what `require`
   * gives, `.` the first part of the module's name.
   */
  readonly names: readonly (readonly [string, string])[]
  /** Everything is taken without a prefix. */
  readonly wildcard?: true
  /** Names are offered on, not only used. */
  readonly reexport?: true
  /** `mod x;` of Rust, `import static` of Java, `from … import` of Python. */
  readonly form?: 'mod' | 'static' | 'from' | 'use'
  /** Position of the inline module it stands in, or -1 where absent. */
  readonly scope?: number
}

export interface CallFact {
  /** Position of the definition that calls, or -1 for the file itself. */
  readonly from: number
  readonly to: Expr
}

export interface FileFacts {
  readonly definitions: readonly Definition[]
  readonly imports: readonly ImportFact[]
  readonly calls: readonly CallFact[]
  /** Name offered to others to the name here or a value; only where a language says what it offers. */
  readonly exports?: Readonly<Record<string, Expr>>
  /** `package` of Go and Java; '' where absent. */
  readonly package?: string
  /** Names a Python module offers with `*`. */
  readonly all?: readonly string[]
  /** Why nothing was read, or not all. */
  readonly skipped?: string
  /** Read from a manifest. */
  readonly manifest?: Manifest
}

export interface Manifest {
  readonly name?: string
  /** Source paths that a package name, or a part of it, stands for; without `*` or with one. */
  readonly exports?: readonly (readonly [string, readonly string[]])[]
  readonly imports?: readonly (readonly [string, readonly string[]])[]
  readonly entries?: readonly string[]
  readonly extends?: readonly string[]
  readonly references?: readonly string[]
  readonly base_url?: string
  readonly paths?: readonly (readonly [string, readonly string[]])[]
  /** Crates: own name, sources of library and programs, names of dependencies as [name in code, package]. */
  readonly lib?: string
  readonly bins?: readonly string[]
  readonly dependencies?: readonly (readonly [string, string])[]
}

export const noFacts: FileFacts = { definitions: [], imports: [], calls: [] }

export const tookTooLong = 'parsing took too long'
export const tooDeep = 'nested too deeply'
/** A thread has ended, which may not happen the next time. */
export const parserFailed = 'the parser failed'
