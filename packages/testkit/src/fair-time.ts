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

/** Of the time that was wanted here, the part that the host of this machine has not given to others. */
export function fairShare(from: Ticks, to: Ticks): number {
  const stolen = to.stolen - from.stolen
  const wanted = to.busy - from.busy + stolen
  return wanted > 0 ? 1 - stolen / wanted : 1
}

/** The share from here on. */
export function startFairShare(): () => number {
  const from = now()
  return () => fairShare(from, now())
}

/**
 * Begins to measure how long something takes on a machine that may be shared with others: time that its host gives to them,
 * which is named steal in /proc/stat, does not count.
 */
export function startFairTime(): () => number {
  const began = performance.now()
  const share = startFairShare()
  return () => (performance.now() - began) * share()
}

function now(): Ticks {
  try {
    return ticksOf(readFileSync('/proc/stat', 'utf8'))
  } catch {
    return { busy: 0, stolen: 0 }
  }
}
