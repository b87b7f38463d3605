export type { NodeChange } from './nodes/changes.rules.ts'
export {
  type IndexFollower,
  indexFollowers,
  type ShownIndex,
} from './publication/index-followers.ports.ts'
export type { ReachedNode, WalkDirection, WalkKind, WalkNode, WalkQuery } from './walk/walk.rules.ts'
export {
  type ChangePosition,
  changesSince,
  isReady,
  resolvePaths,
  resolveStarts,
  type Starts,
  type Walked,
  walk,
} from './walk/walk.service.ts'
