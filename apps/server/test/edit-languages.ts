import { posix } from 'node:path'
import { toySymbols } from './toy-repository.ts'

/** What random edits write, and how whoever judges them reads it back. */
export interface EditLanguage {
  readonly extension: string
  remark(text: string): string
  /** Without words the body is too short to tell it from others. */
  define(name: string, words: string | undefined): string
  imports(from: string, to: string): string
  calls(from: string, to: string, name: string): string
  withFirstRenamed(text: string, name: string): string
  /** One for each name, with the text that defines it. Bodies that are equal have equal hashes; a short one has none. */
  symbols(text: string): { readonly name: string; readonly text: string; readonly body_hash: string | null }[]
}

export const toyLanguage: EditLanguage = {
  extension: '.toy',
  remark: (text) => `# ${text}`,
  define: (name, words) =>
    words === undefined
      ? `def ${name}:\n  pass\n`
      : `def ${name}:\n  ${words} and a line that is long enough\n  ${words} and another one\n`,
  imports: (_, to) => `import ${to}`,
  calls: (_, to, name) => `call ${to}#${name}`,
  withFirstRenamed: (text, name) => text.replace(/^def \w+:$/m, `def ${name}:`),
  symbols: (text) =>
    toySymbols(text).map(({ name, body, body_hash }) => ({
      name,
      text: `def ${name}:\n${body.replace(/\n$/, '')}`,
      body_hash,
    })),
}

/** One line a function, so that no merge of lines makes something that is not TypeScript. */
export const typeScript: EditLanguage = {
  extension: '.ts',
  remark: (text) => `// ${text}`,
  define: (name, words) =>
    words === undefined
      ? `export function ${name}() {}\n`
      : `export function ${name}() { return '${words} in a line that is long enough to be told from any other one' }\n`,
  imports: (from, to) => `import '${specifier(from, to)}'`,
  calls: (from, to, name) => `import { ${name} } from '${specifier(from, to)}'; ${name}()`,
  withFirstRenamed: (text, name) => text.replace(/^export function \w+/m, `export function ${name}`),
  symbols(text) {
    const found = new Map<string, { name: string; text: string; body_hash: string | null }>()
    for (const [line = '', name = '', body = ''] of text.matchAll(/^export function (\w+)\(\) \{(.*)\}$/gm)) {
      const known = found.get(name)
      const hashes = [known?.body_hash, body === '' ? null : body].filter((each) => each != null)
      found.set(name, {
        name,
        text: known?.text ?? line,
        body_hash: hashes.length === 0 ? null : hashes.join(' and '),
      })
    }
    return [...found.values()]
  },
}

function specifier(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to)
  return path.startsWith('.') ? path : `./${path}`
}
