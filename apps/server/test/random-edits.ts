import { type EditLanguage, toyLanguage } from './edit-languages.ts'
import type { ToyRepository } from './toy-repository.ts'

/** Numbers from a seed, the same on every machine (mulberry32). */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below)
  }
}

/** Random work on a repository: each call makes one commit. */
export class RandomEdits {
  readonly repository: ToyRepository
  readonly #random: (below: number) => number
  readonly #language: EditLanguage
  #names = 0
  readonly counts = new Map<string, number>()

  constructor(repository: ToyRepository, random: (below: number) => number, language = toyLanguage) {
    this.repository = repository
    this.#random = random
    this.#language = language
  }

  start(files: number): void {
    for (let n = 0; n < files; n += 1) this.#newFile()
    this.repository.commit()
  }

  step(): void {
    const choices = {
      edit: 8,
      addSymbol: 3,
      deleteSymbol: 4,
      renameSymbol: 2,
      moveSymbol: 4,
      newFile: 3,
      renameFile: 4,
      renameAndEdit: 2,
      moveFolder: 2,
      deleteFile: 3,
      revert: 4,
      merge: 3,
      rewrite: 3,
    }
    let at = this.#random(Object.values(choices).reduce((sum, weight) => sum + weight, 0))
    for (const [name, weight] of Object.entries(choices)) {
      at -= weight
      if (at >= 0) continue
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
      this.#do(name as keyof typeof choices)
      return
    }
  }

  #do(name: string): unknown {
    if (this.repository.paths().length < 4) this.#newFile()
    if (name === 'revert') return this.#revert()
    if (name === 'merge') return this.#merge()
    if (name === 'rewrite') this.#rewrite()
    else this.#change(name)
    return this.repository.commit()
  }

  #change(name: string): unknown {
    const path = this.#path()
    switch (name) {
      case 'addSymbol':
        return this.repository.write(path, `${this.repository.read(path)}${this.#symbol()}`)
      case 'deleteSymbol':
        return this.#withoutSymbol(path)
      case 'renameSymbol':
        return this.repository.write(
          path,
          this.#language.withFirstRenamed(this.repository.read(path), this.#name()),
        )
      case 'moveSymbol':
        return this.#moveSymbol(path, this.#path())
      case 'newFile':
        return this.#newFile()
      case 'renameFile':
        return this.#rename(path)
      case 'renameAndEdit':
        return this.#edit(this.#rename(path) ?? path)
      case 'moveFolder':
        return this.#moveFolder()
      case 'deleteFile':
        return this.repository.git('rm', '-q', path)
      default:
        return this.#edit(path)
    }
  }

  #path(): string {
    const paths = this.repository.git('ls-files', '-z').split('\0').filter(Boolean)
    return paths[this.#random(paths.length)] ?? this.#newFile()
  }

  #name(): string {
    this.#names += 1
    return `f${this.#names}`
  }

  /** Some bodies are equal, and some are too short to tell anything. */
  #symbol(): string {
    const kind = this.#random(6)
    const name = this.#random(4) === 0 ? `f${this.#random(this.#names + 1)}` : this.#name()
    if (kind === 0) return this.#language.define(name, undefined)
    const body = kind === 1 ? 'the same words in many places' : `unique ${this.#names} ${this.#random(1e6)}`
    return this.#language.define(name, body)
  }

  #newFile(): string {
    const folder = ['', 'a/', 'a/b/', 'c/', 'd/e/'][this.#random(5)]
    const path = `${folder}n${this.#random(40)}${this.#language.extension}`
    const symbols = Array.from({ length: 2 + this.#random(4) }, () => this.#symbol()).join('')
    const remarks = [`file ${this.#random(1e6)}`, `more ${this.#random(1e6)}`]
    this.repository.write(path, `${remarks.map(this.#language.remark).join('\n')}\n${symbols}`)
    return path
  }

  #edit(path: string): void {
    const others = this.repository.paths()
    const other = others[this.#random(others.length)] ?? path
    const line = [
      this.#language.remark(`edit ${this.#random(1e6)}`),
      this.#language.imports(path, other),
      this.#language.calls(path, other, `f${this.#random(this.#names)}`),
    ]
    const lines = this.repository.read(path).split('\n')
    lines.splice(this.#random(2), 0, line[this.#random(3)] ?? '')
    this.repository.write(path, lines.join('\n'))
  }

  #withoutSymbol(path: string): string {
    const text = this.repository.read(path)
    const symbols = this.#language.symbols(text)
    const symbol = symbols[this.#random(symbols.length)]
    if (!symbol) return ''
    this.repository.write(
      path,
      text.replace(symbol.text, () => ''),
    )
    return symbol.text
  }

  #moveSymbol(from: string, to: string): void {
    const whole = this.#withoutSymbol(from)
    this.repository.write(to, `${this.repository.read(to)}\n${whole}\n`)
  }

  #rename(path: string): string | undefined {
    const target = `${['a/', 'c/', 'g/', ''][this.#random(4)]}r${this.#random(60)}${this.#language.extension}`
    if (this.repository.git('ls-files', target) !== '') return undefined
    this.repository.write(`${target}.tmp`, '')
    this.repository.git('mv', path, target)
    this.repository.git('clean', '-fdq')
    return target
  }

  #moveFolder(): void {
    const folder = this.#path().split('/')[0] ?? ''
    const target = `m${this.#random(30)}`
    if (folder.endsWith(this.#language.extension) || this.repository.git('ls-files', target) !== '') return
    this.repository.git('mv', folder, target)
  }

  #revert(): void {
    const { repository } = this
    try {
      const parents = repository.git('rev-list', '--parents', '-n', '1', 'HEAD').trim().split(' ').length - 1
      repository.git('revert', '--no-edit', ...(parents > 1 ? ['-m', '1'] : []), 'HEAD')
    } catch {
      repository.git('reset', '-q', '--hard')
      repository.commit()
    }
  }

  #merge(): void {
    const { repository } = this
    const back = Math.min(
      this.#random(4),
      Number(repository.git('rev-list', '--count', '--first-parent', 'HEAD')) - 1,
    )
    repository.git('checkout', '-q', '-b', 'side', `HEAD~${back}`)
    const changes = ['edit', 'deleteFile', 'renameFile', 'moveSymbol', 'deleteSymbol', 'newFile']
    for (let n = this.#random(3); n >= 0; n -= 1) {
      this.#change(changes[this.#random(changes.length)] ?? 'edit')
      repository.commit()
    }
    repository.git('checkout', '-q', 'main')
    try {
      repository.git('merge', '-q', '--no-ff', '--no-edit', '-X', 'ours', 'side')
    } catch {
      repository.git('reset', '-q', '--hard')
      repository.commit()
    }
    repository.git('branch', '-q', '-D', 'side')
  }

  /** What a forced push leaves: some commits are gone, and another one is there. */
  #rewrite(): void {
    const { repository } = this
    const count = Number(repository.git('rev-list', '--count', '--first-parent', 'HEAD'))
    if (count > 4) repository.git('reset', '-q', '--hard', `HEAD~${1 + this.#random(3)}`)
    this.#change('renameFile')
  }
}
