export type Grammar = 'typescript' | 'tsx' | 'javascript' | 'python' | 'go' | 'rust' | 'java'
export type ManifestKind = 'package-json' | 'tsconfig' | 'go-mod' | 'cargo'
export type Language = Grammar | ManifestKind

const grammars: Readonly<Record<string, Grammar>> = {
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'tsx',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  py: 'python',
  pyi: 'python',
  go: 'go',
  rs: 'rust',
  java: 'java',
}

export type Family = 'script' | 'python' | 'go' | 'rust' | 'java'

const families: Readonly<Record<Grammar, Family>> = {
  typescript: 'script',
  tsx: 'script',
  javascript: 'script',
  python: 'python',
  go: 'go',
  rust: 'rust',
  java: 'java',
}

/** What reads a file; nothing, for a file that gives only a node. */
export function languageOf(path: string): Language | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (name === 'package.json') return 'package-json'
  if (/^[tj]sconfig(?:\.[\w.-]+)?\.json$/.test(name)) return 'tsconfig'
  if (name === 'go.mod') return 'go-mod'
  if (name === 'Cargo.toml') return 'cargo'
  const dot = name.lastIndexOf('.')
  return dot < 1 ? undefined : grammars[name.slice(dot + 1)]
}

export const isGrammar = (language: Language): language is Grammar => language in families

export const familyOf = (path: string): Family | undefined => {
  const language = languageOf(path)
  return language && isGrammar(language) ? families[language] : undefined
}
