import { fileURLToPath } from 'node:url'
import { Language, Parser } from 'web-tree-sitter'
import type { FileFacts } from './facts.rules.ts'
import { noFacts, tookTooLong } from './facts.rules.ts'
import { readGo } from './go-facts.ts'
import { readJava } from './java-facts.ts'
import type { Grammar, Language as LanguageName } from './languages.rules.ts'
import { isGrammar } from './languages.rules.ts'
import { readManifest } from './manifest-facts.ts'
import { readPython } from './python-facts.ts'
import { readRust } from './rust-facts.ts'
import { readScript } from './script-facts.ts'
import { type CursorSteps, GrammarNames, Syntax } from './syntax.ts'

/** Longest parse of one file, in time of the processor: what a busy machine does must not change a graph. */
const parseMs = 2_000
const mostWaitMs = 30_000

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

  private constructor(steps: CursorSteps) {
    this.#steps = steps
  }

  static async start(): Promise<Extractor> {
    // The parser's module puts its functions on the object it is given.
    const module = {}
    await Parser.init(module)
    return new Extractor(module as CursorSteps)
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
    try {
      return readers[language](syntax)
    } catch (error) {
      if (error instanceof RangeError) return { ...noFacts, skipped: 'nested too deeply' }
      throw error
    }
  }

  /** The syntax of a text; nothing when the parser needs too long. */
  async parse(language: Grammar, text: string): Promise<Syntax | undefined> {
    const { parser, names } = await this.#reader(language)
    const tree = parser.parse(text, null, { progressCallback: limitOf(performance.now()) })
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

function limitOf(began: number): () => boolean {
  const before = process.threadCpuUsage()
  return () => {
    const waited = performance.now() - began
    if (waited <= parseMs) return false
    const { user, system } = process.threadCpuUsage(before)
    return waited > mostWaitMs || (user + system) / 1000 > parseMs
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
