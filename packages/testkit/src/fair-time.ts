import { readFileSync } from 'node:fs'

interface Ticks {
  readonly busy: number
  readonly stolen: number
}

/** What the processors have done since the machine started, in ticks; nothing where there is no such file. */
export function ticksOf(stat: string): Ticks {
  const [, ...fields] = stat.split('\n', 1)[0]?.split(/\s+/) ?? []
  const [user = 0, nice = 0, system = 0, , , irq = 0, soft = 0, stolen = 0] = fields.map(Number)
  return { busy: user + nice + system + irq + soft, stolen }
}

/** Of a time, the part that the host of this machine has not given to others. */
export function fairMs(wallMs: number, from: Ticks, to: Ticks): number {
  const stolen = to.stolen - from.stolen
  const wanted = to.busy - from.busy + stolen
  return wanted > 0 ? wallMs * (1 - stolen / wanted) : wallMs
}

/**
 * Begins to measure how long something takes on a machine that may be shared with others: time that its host gives to them,
 * which is named steal in /proc/stat, does not count.
 */
export function startFairTime(): () => number {
  const began = performance.now()
  const from = now()
  return () => fairMs(performance.now() - began, from, now())
}

function now(): Ticks {
  try {
    return ticksOf(readFileSync('/proc/stat', 'utf8'))
  } catch {
    return { busy: 0, stolen: 0 }
  }
}
