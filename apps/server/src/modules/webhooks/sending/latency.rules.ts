/** From here on a receiver waits with those that take as long, and no longer with all others. */
const slowMs = 2000

/** Half of it is the newest answer, so that one that hung is slow at once and one that recovered not for long. */
export const nextLatencyMs = (before: number, newest: number): number => Math.round((before + newest) / 2)

export const isSlowLatency = (latency_ms: number): boolean => latency_ms >= slowMs
