import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitUntil } from '@crewhall/services/commands.ts'
import { removeNetwork } from './host-network.ts'
import { descendantsOf, isInit, isRunning, killMarked, markOf, type ProcessMark } from './process-mark.ts'

/** What there is of a host, so that whoever finds it can remove it. */
export interface HostFacts {
  /** Of the folder, the network namespace, the control group. */
  readonly id: string
  /** The run of tests that made it. */
  readonly owner: ProcessMark
  readonly line?: number
  /** The process that keeps it running. */
  readonly machine?: ProcessMark
}

const home = '/var/tmp/crewhall-hosts'
export const folderOfHost = (id: string): string => join(home, id)
const factsFile = (id: string): string => join(folderOfHost(id), 'host.json')

export function makeFolder(facts: HostFacts): string {
  const folder = folderOfHost(facts.id)
  for (const part of ['changes', 'work', 'root']) mkdirSync(join(folder, part), { recursive: true })
  noteFacts(facts)
  return folder
}

export const noteFacts = (facts: HostFacts): void =>
  writeFileSync(factsFile(facts.id), `${JSON.stringify(facts)}\n`)

/** Hosts that a run has left: its own at its end, and those of runs that have died. */
export async function removeLeftHosts(mine?: ProcessMark): Promise<number> {
  const left = listHosts().filter(({ owner }) => !isRunning(owner) || owner.pid === mine?.pid)
  for (const facts of left) await removeHost(facts)
  return left.length
}

export const readFacts = (id: string): HostFacts => JSON.parse(readFileSync(factsFile(id), 'utf8'))

function listHosts(): HostFacts[] {
  return readHome().flatMap((id) => {
    try {
      return [readFacts(id)]
    } catch {
      // It was made or removed a moment ago.
      return []
    }
  })
}

function readHome(): string[] {
  try {
    return readdirSync(home)
  } catch {
    return []
  }
}

/** The power goes: nothing of it runs any more, and its files are as they were. */
export async function cutPower(machine: ProcessMark | undefined): Promise<void> {
  if (!machine || !isRunning(machine)) return
  for (const pid of descendantsOf(machine.pid).filter(isInit)) {
    const init = markOf(pid)
    if (init) killMarked(init)
  }
  if (!(await waitUntil(() => !isRunning(machine), 5000))) killMarked(machine)
  if (!(await waitUntil(() => !isRunning(machine), 5000))) throw new Error(`${machine.pid} does not end`)
}

export async function removeHost({ id, line, machine }: HostFacts): Promise<void> {
  await cutPower(machine)
  await removeNetwork(id, line)
  const group = groupOf(id)
  // The kernel lets go of a group a moment after its last process.
  if (group && !(await waitUntil(() => removeGroup(group), 5000))) throw new Error(`${group} is in use`)
  rmSync(folderOfHost(id), { recursive: true, force: true })
}

function groupOf(id: string): string | undefined {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
  const place = mounts.map((line) => line.split(' ')).find(([, , type]) => type === 'cgroup2')?.[1]
  return place && join(place, id)
}

/** Whether it is gone. Groups within a group go first; what else is in there is not made of files. */
function removeGroup(group: string): boolean {
  try {
    for (const entry of readdirSync(group, { withFileTypes: true }))
      if (entry.isDirectory()) removeGroup(join(group, entry.name))
    rmdirSync(group)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}
