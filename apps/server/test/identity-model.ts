import { toyLanguage } from './edit-languages.ts'
import type { ToyRepository } from './toy-repository.ts'

type Change = readonly [status: string, path: string, target?: string]
interface ToyNode {
  readonly kind: 'folder' | 'file' | 'symbol'
  readonly path: string
  readonly symbol: string
  readonly body_hash: string | null
}
export interface ModelNode extends ToyNode {
  readonly id: number
}
interface GoneNode extends ModelNode {
  readonly removed_in: string
}
interface File {
  readonly id: number | undefined
  path: string | undefined
  removed_in: string | undefined
  /** Where it was after each commit. */
  readonly trail: { commit: string; path: string | undefined }[]
}

const keyOf = ({ kind, path, symbol }: Pick<ToyNode, 'kind' | 'path' | 'symbol'>) =>
  `${kind} ${path} ${symbol}`

/**
 * Says which node is which by asking git for its own list of renames, commit by commit, and going through it in the
 * plainest way there is. Shares nothing with what it judges.
 */
export class IdentityModel {
  readonly repository: ToyRepository
  live = new Map<string, ModelNode>()
  /** By place, the last one first. */
  gone: GoneNode[] = []
  readonly #language: { symbols(text: string): readonly { readonly name: string }[] }
  #head: string | undefined
  #ids = 0

  constructor(repository: ToyRepository, language = toyLanguage) {
    this.repository = repository
    this.#language = language
  }

  index(commit: string, nodes: readonly ToyNode[]): void {
    const steps = this.#steps(commit)
    const files = this.#files(steps, commit)
    const open = new Map(nodes.map((node) => [keyOf(node), node]))
    const next = new Map<string, ModelNode>()
    const used = new Set<number>()
    const give = (node: Pick<ToyNode, 'kind' | 'path' | 'symbol'>, id: number) => {
      const place = open.get(keyOf(node))
      if (!place || used.has(id)) return
      open.delete(keyOf(node))
      used.add(id)
      next.set(keyOf(node), { ...place, id })
    }
    const giveBack = (kind: ToyNode['kind']) => {
      for (const node of this.gone) if (node.kind === kind) give(node, node.id)
    }
    for (const { id, path } of files)
      if (id !== undefined && path !== undefined) give({ kind: 'file', path, symbol: '' }, id)
    giveBack('file')
    const before = [...this.live.values()]
    for (const node of before) if (node.kind === 'folder') give(node, node.id)
    for (const [folder, target] of this.#movedFolders(before, files, used))
      give({ kind: 'folder', path: target, symbol: '' }, folder.id)
    giveBack('folder')
    const fileOf = (path: string) => files.find(({ id }) => id === this.live.get(`file ${path} `)?.id)
    for (const node of before) {
      if (node.kind !== 'symbol') continue
      const path = fileOf(node.path)?.path
      if (path !== undefined) give({ ...node, path }, node.id)
    }
    const lost = before.filter(({ kind, id }) => kind === 'symbol' && !used.has(id))
    const added = [...open.values()].filter(({ kind }) => kind === 'symbol')
    for (const node of lost) {
      const same = (each: ToyNode) => each.body_hash !== null && each.body_hash === node.body_hash
      const [target, ...others] = added.filter(same)
      if (target && others.length === 0 && lost.filter(same).length === 1) give(target, node.id)
    }
    giveBack('symbol')
    for (const node of open.values()) {
      this.#ids += 1
      next.set(keyOf(node), { ...node, id: this.#ids })
    }
    const dead = before
      .filter(({ id }) => !used.has(id))
      .map((node) => ({ ...node, removed_in: this.#removedIn(node, steps, files, fileOf, commit) }))
    this.gone = [...dead, ...this.gone.filter(({ id }) => !used.has(id))]
    this.live = next
    this.#head = commit
  }

  #isLinear(commit: string): boolean {
    try {
      this.repository.git('merge-base', '--is-ancestor', this.#head ?? '', commit)
      return true
    } catch {
      return false
    }
  }

  #steps(commit: string): { commit: string; changes: Change[] }[] {
    if (this.#head === undefined || this.#head === commit) return []
    if (!this.#isLinear(commit)) return [{ commit, changes: this.#ends(commit) }]
    const log = this.repository.git(
      ...['log', '--first-parent', '-m', '-M', '-l0', '--name-status', '-z', '--reverse'],
      ...['--format=%x01%H', `${this.#head}..${commit}`],
    )
    return log
      .split('\x01')
      .slice(1)
      .map((text) => ({ commit: text.slice(0, 40), changes: changesOf(text.slice(40)) }))
  }

  #ends(commit: string): Change[] {
    return changesOf(
      this.repository.git('diff', '-M', '-l0', '--name-status', '-z', this.#head ?? '', commit),
    )
  }

  #files(steps: readonly { commit: string; changes: Change[] }[], commit: string): File[] {
    const file = (id: number | undefined, path: string | undefined): File => ({
      id,
      path,
      removed_in: undefined,
      trail: [],
    })
    const files = [...this.live.values()]
      .filter(({ kind }) => kind === 'file')
      .map(({ id, path }) => file(id, path))
    const first = new Map(files.map((each) => [each.path, each]))
    const dead = this.gone
      .filter(({ kind }) => kind === 'file')
      .map(({ id, path }) => ({ path, file: file(id, undefined) }))
    files.push(...dead.map((each) => each.file))
    for (const { commit, changes } of steps) {
      const at = new Map(files.filter(({ path }) => path !== undefined).map((each) => [each.path, each]))
      const leaving = changes.filter(([status]) => status === 'D' || status.startsWith('R'))
      for (const [status, path] of leaving) {
        const each = at.get(path)
        if (!each) continue
        each.path = undefined
        if (status !== 'D') continue
        each.removed_in = commit
        each.trail.push({ commit, path: undefined })
        dead.unshift({ path, file: each })
      }
      for (const [status, path, target = path] of changes) {
        if (status === 'D') continue
        let each = status.startsWith('R') ? at.get(path) : files.find((one) => one.path === path)
        if (!each) {
          const back = dead.findIndex((one) => one.path === target && one.file.path === undefined)
          each = back >= 0 ? dead.splice(back, 1)[0]?.file : undefined
        }
        if (!each) {
          each = file(undefined, target)
          files.push(each)
        }
        each.path = target
        each.removed_in = undefined
        each.trail.push({ commit, path: target })
      }
    }
    if (steps.length === 0 || !this.#isLinear(commit)) return files
    for (const [status, path, target = ''] of this.#ends(commit)) {
      const old = first.get(path)
      const later = files.find((each) => each.path === target)
      if (!status.startsWith('R') || !old?.removed_in || later?.id !== undefined) continue
      old.path = target
      old.removed_in = undefined
      old.trail.push(...(later?.trail ?? []))
      if (later) later.path = undefined
    }
    return files
  }

  #movedFolders(before: readonly ModelNode[], files: readonly File[], used: ReadonlySet<number>) {
    const moved: [ModelNode, string][] = []
    for (const folder of before) {
      if (folder.kind !== 'folder' || used.has(folder.id)) continue
      const targets = new Set<string>()
      for (const node of before) {
        if (node.kind !== 'file' || !node.path.startsWith(`${folder.path}/`)) continue
        const now = files.find(({ id }) => id === node.id)?.path
        if (now === undefined) continue
        const inside = node.path.slice(folder.path.length)
        targets.add(now.endsWith(inside) ? now.slice(0, now.length - inside.length) : '')
      }
      const [target = ''] = targets
      if (targets.size === 1 && target !== '') moved.push([folder, target])
    }
    return moved.filter(([, target]) => moved.filter(([, other]) => other === target).length === 1)
  }

  #removedIn(
    node: ModelNode,
    steps: readonly { commit: string; changes: Change[] }[],
    files: readonly File[],
    fileOf: (path: string) => File | undefined,
    commit: string,
  ): string {
    if (node.kind === 'file') return files.find(({ id }) => id === node.id)?.removed_in ?? commit
    if (node.kind === 'folder')
      return (
        steps.findLast(({ changes }) =>
          changes.some(([status, path]) => /^[DR]/.test(status) && path.startsWith(`${node.path}/`)),
        )?.commit ?? commit
      )
    const trail = fileOf(node.path)?.trail ?? []
    const has = trail.map(
      ({ commit, path }) =>
        path !== undefined &&
        this.#language.symbols(this.repository.textAt(commit, path)).some(({ name }) => name === node.symbol),
    )
    return trail[has.lastIndexOf(true) + 1]?.commit ?? commit
  }
}

function changesOf(text: string): Change[] {
  const fields = text.replace(/^[\n\0]+/, '').split('\0')
  const changes: Change[] = []
  for (let at = 0; at < fields.length - 1; ) {
    const status = (fields[at] ?? '').replace(/^\n/, '')
    if (status.startsWith('R')) {
      changes.push([status, fields[at + 1] ?? '', fields[at + 2] ?? ''])
      at += 3
    } else {
      changes.push([status, fields[at + 1] ?? ''])
      at += 2
    }
  }
  return changes
}
