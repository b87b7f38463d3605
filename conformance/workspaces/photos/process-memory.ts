import { readdirSync, readFileSync } from 'node:fs'

const readOr = (path: string, otherwise: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The process has ended meanwhile.
    return otherwise
  }
}

const residentMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readOr(`/proc/${pid}/status`, ''))?.[1] ?? 0) / 1024

export function childrenOf(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`)
  return tasks
    .flatMap((task) => readOr(`/proc/${pid}/task/${task}/children`, '').split(' '))
    .filter(Boolean)
    .map(Number)
}

export interface Watched {
  readonly before_mb: number
  most_mb: number
  /** Of its child processes together. */
  most_children_mb: number
  most_children: number
  stop(): void
}

/** Looks at the memory of a process and its children all the time. */
export function watchMemory(pid: number): Watched {
  const watched: Watched = {
    before_mb: residentMb(pid),
    most_mb: 0,
    most_children_mb: 0,
    most_children: 0,
    stop: () => clearInterval(timer),
  }
  const timer = setInterval(() => {
    const children = childrenOf(pid)
    watched.most_mb = Math.max(watched.most_mb, residentMb(pid))
    const together = children.reduce((sum, child) => sum + residentMb(child), 0)
    watched.most_children_mb = Math.max(watched.most_children_mb, together)
    watched.most_children = Math.max(watched.most_children, children.length)
  }, 20)
  return watched
}
