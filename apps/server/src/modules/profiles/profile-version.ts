import { createHash } from 'node:crypto'
import type { ProfileSettings } from './build.rules.ts'

/**
 * PROF-05: a digest of what a build receives. Every process writes the same settings as the same bytes: the
 * fields stand in a fixed order here, and names inside `env` are sorted by code unit.
 */
export function versionOf({ coder, model, effort, fallback_model, limits, env }: ProfileSettings): string {
  const { max_turns, max_steps, wall_minutes } = limits
  const sorted = env && Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))
  const canonical = [coder, model, effort, fallback_model, max_turns, max_steps, wall_minutes, sorted]
  const digest = createHash('sha256').update(JSON.stringify(canonical)).digest('hex')
  return `sha256:${digest.slice(0, 12)}`
}
