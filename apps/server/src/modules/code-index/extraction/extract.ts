import { fileURLToPath } from 'node:url'
import { Language, Parser } from 'web-tree-sitter'
import type { FileFacts } from './facts.rules.ts'
import { noFacts, tooDeep, tookTooLong } from './facts.rules.ts'
import { readGo } from './go-facts.ts'
import { readJava } from './java-facts.ts'
import type { Grammar, Language as LanguageName } from './languages.rules.ts'
import { isGrammar } from './languages.rules.ts'
import { readManifest } from './manifest-facts.ts'
import { readPython } from './python-facts.ts'
import { readRust } from './rust-facts.ts'
import { readScript } from './script-facts.ts'
import { type CursorSteps, GrammarNames, Syntax, startParser } from './syntax.ts'

export interface ExtractLimits {
  /**
   * Longest parse of one file, counted by the parser in steps: what a busy machine does must not change a graph. A
   * machine of today does 25,000 a second.
   */
  readonly parse_steps: number
  /** Where a step costs far more than usual, as in files that are nothing but errors. In time of the processor. */
  readonly parse_ms: number
  /** Most nodes inside of each other. Readers call themselves for each, and the stack of a thread has room for more. */
  readonly depth: number
}

export const extractDefaults: ExtractLimits = { parse_steps: 50_000, parse_ms: 10_000, depth: 5_000 }
/** Asking for the time of the processor costs more than many steps. */
const stepsBetweenLooks = 256

const readers: Readonly<Record<Grammar, (syntax: Syntax) => FileFacts>> = {
  typescript: readScript,
  tsx: readScript,
  javascript: readScript,
  python: readPython,
  go: readGo,
  rust: readRust,
  java: readJava,
}

interface Reader {
  readonly parser: Parser
  readonly names: GrammarNames
}

/** Reads blobs into facts, with one parser a language. */
export class Extractor {
  readonly #steps: CursorSteps
  readonly #readers = new Map<Grammar, Promise<Reader>>()

  readonly #limits: ExtractLimits

  private constructor(steps: CursorSteps, limits: ExtractLimits) {
    this.#steps = steps
    this.#limits = limits
  }

  static async start(limits: ExtractLimits = extractDefaults): Promise<Extractor> {
    return new Extractor(await startParser(), limits)
  }

  /** Memory of the parser's module never shrinks; that of JavaScript is what this thread has taken. */
  memoryBytes(): number {
    return (this.#steps.HEAPU8?.byteLength ?? 0) + process.memoryUsage().heapTotal
  }

  async extract(language: LanguageName, bytes: Uint8Array): Promise<FileFacts> {
    const text = textOf(bytes)
    if (text === undefined) return { ...noFacts, skipped: 'not text in UTF-8' }
    if (!isGrammar(language)) return readManifest(language, text)
    const syntax = await this.parse(language, text)
    if (syntax === undefined) return { ...noFacts, skipped: tookTooLong }
    if (syntax.depth > this.#limits.depth) return { ...noFacts, skipped: tooDeep }
    return readers[language](syntax)
  }

  /** The syntax of a text; nothing when the parser needs too long. */
  async parse(language: Grammar, text: string): Promise<Syntax | undefined> {
    const { parser, names } = await this.#reader(language)
    const tree = parser.parse(text, null, { progressCallback: limitOf(this.#limits) })
    if (tree === null) {
      parser.reset()
      return undefined
    }
    try {
      return new Syntax(text, tree, names, this.#steps)
    } finally {
      tree.delete()
    }
  }

  #reader(language: Grammar): Promise<Reader> {
    const known = this.#readers.get(language)
    if (known) return known
    const reader = load(language)
    this.#readers.set(language, reader)
    return reader
  }
}

async function load(name: Grammar): Promise<Reader> {
  const path = import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`)
  const language = await Language.load(fileURLToPath(path))
  const parser = new Parser()
  parser.setLanguage(language)
  return { parser, names: new GrammarNames(language) }
}

/** Says when a parse has to end. */
function limitOf({ parse_steps, parse_ms }: ExtractLimits): () => boolean {
  const before = process.threadCpuUsage()
  let steps = 0
  return () => {
    steps += 1
    if (steps > parse_steps) return true
    if (steps % stepsBetweenLooks !== 0) return false
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000 > parse_ms
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Text in UTF-8 without zero bytes, else nothing. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}
