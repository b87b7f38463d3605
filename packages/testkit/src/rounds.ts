/**
 * How often a test repeats what is left to chance. `gate` (the default) runs as often as a fault needs to be seen
 * surely; `ROUNDS=full` (`npm run test:full`) runs every figure once promised, which a release needs.
 */
export const isFull = process.env.ROUNDS === 'full'

/** The most that the gate may miss a fault the naive twin shows, if the product had it. */
const accepted_miss = 1e-6

/** A count, a size or a number of runs: what was promised, and what the gate does of it. */
export const scaled = (full: number, gate: number): number => (isFull ? full : Math.min(full, gate))

/**
 * Rounds of a race whose naive twin loses at least `rate` of them. The gate runs as many as a race that is lost at
 * that rate passes with a probability below one in a million, and never fewer than ten. State a rate well below the
 * one seen (half of it is good): on a quiet machine races are lost less often.
 */
export const roundsFor = (full: number, rate: number): number =>
  scaled(full, Math.max(10, Math.ceil(Math.log(accepted_miss) / Math.log1p(-rate))))
