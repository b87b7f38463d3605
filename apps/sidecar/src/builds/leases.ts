import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openFolder, readIfThere, removeIfThere, replaceFile } from '../state/durable-file.ts'

/** Who wants no build to begin: an admin who drains the desk, or an update. Each lowers its own. */
type Barrier = 'drain' | 'update'
const barrierNames: Readonly<Record<Barrier, string>> = { drain: 'barrier', update: 'barrier-update' }
const isLease = (name: string): boolean => /^[0-9a-f-]{36}$/.test(name)

/**
 * Builds that run on this desk, each with a file that names its process. A build writes its file and then looks for the
 * barrier; an update raises the barrier and then counts the files. Whichever comes first, one of them sees the other.
 */
export class BuildLeases {
  readonly #folder: string

  constructor(stateFolder: string) {
    this.#folder = join(stateFolder, 'builds')
  }

  async open(): Promise<void> {
    await openFolder(this.#folder)
  }

  /** Undefined while an update waits: no build begins then. */
  async take(pid: number): Promise<string | undefined> {
    const id = randomUUID()
    await this.extend(id, [pid])
    if (!(await this.isBarred())) return id
    await this.drop(id)
    return undefined
  }

  /** The build runs as long as one of these does: what it has started may outlive what started it. */
  async extend(id: string, pids: readonly number[]): Promise<void> {
    const holders = await Promise.all(pids.map(async (pid) => ({ pid, started: await startOf(pid) })))
    await replaceFile(join(this.#folder, id), JSON.stringify(holders))
  }

  async drop(id: string): Promise<void> {
    await removeIfThere(join(this.#folder, id))
  }

  /** Files of builds that ended without a word are removed. */
  async count(): Promise<number> {
    const names = (await readdir(this.#folder)).filter(isLease)
    const running = await Promise.all(names.map((name) => this.#runs(name)))
    return running.filter(Boolean).length
  }

  async raiseBarrier(by: Barrier): Promise<void> {
    await replaceFile(join(this.#folder, barrierNames[by]), '')
  }

  async lowerBarrier(by: Barrier): Promise<void> {
    await removeIfThere(join(this.#folder, barrierNames[by]))
  }

  async isBarred(): Promise<boolean> {
    const found = await Promise.all(
      Object.values(barrierNames).map((name) => readIfThere(join(this.#folder, name))),
    )
    return found.some((content) => content !== undefined)
  }

  async #runs(id: string): Promise<boolean> {
    const content = await readIfThere(join(this.#folder, id))
    if (content === undefined) return false
    const holders = JSON.parse(content) as { pid: number; started?: Start }[]
    for (const { pid, started } of holders) if (isSame(started, await startOf(pid))) return true
    await this.drop(id)
    return false
  }
}

/** When a process began: a number of a process is used again. */
interface Start {
  /** Since the boot. */
  readonly ticks: number
  /** When that was, in seconds since 1970; it moves when the clock is set. */
  readonly booted_at: number
}

/** A process of another boot would have to be as old to the hundredth of a second to be taken for it. */
const clockToleranceS = 3600
const isSame = (one: Start | undefined, other: Start | undefined): boolean =>
  one !== undefined &&
  one.ticks === other?.ticks &&
  Math.abs(one.booted_at - other.booted_at) < clockToleranceS

/**
 * Undefined if there is no such process, and for one that has ended and was not yet reaped. The id of the boot would say
 * more, but in a container a hardened service sees another one than the builds beside it.
 */
async function startOf(pid: number): Promise<Start | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The name of the program stands in brackets and may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state] = fields
    return state === 'Z' ? undefined : { ticks: Number(fields[19]), booted_at: await bootedAt() }
  } catch {
    return undefined
  }
}

async function bootedAt(): Promise<number> {
  return Number(/^btime (\d+)$/m.exec(await readFile('/proc/stat', 'utf8'))?.[1])
}
