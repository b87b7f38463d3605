import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Language, Parser } from 'web-tree-sitter'

// The parser alone: it parses files and does nothing with their trees.

const grammars = {
  typescript: import.meta.resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-typescript.wasm'),
  javascript: import.meta.resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-javascript.wasm'),
}
const grammarOf = (path: string) => (/\.[mc]?ts$/.test(path) ? 'typescript' : 'javascript')

process.on('message', async (paths: readonly string[]) => {
  await Parser.init()
  const parsers = new Map<string, Parser>()
  for (const name of new Set(paths.map(grammarOf))) {
    parsers.set(name, new Parser().setLanguage(await Language.load(fileURLToPath(grammars[name]))))
  }
  const [began, before] = [performance.now(), process.cpuUsage()]
  for (const path of paths) parsers.get(grammarOf(path))?.parse(readFileSync(path, 'utf8'))?.delete()
  const { user, system } = process.cpuUsage(before)
  const took = { seconds: (performance.now() - began) / 1000, cpu_seconds: (user + system) / 1e6 }
  process.send?.(took, () => process.disconnect?.())
})
