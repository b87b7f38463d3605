export type { NodeChange } from './nodes/changes.rules.ts'
export { getProject } from './projects/projects.service.ts'
export {
  type IndexedCommit,
  type IndexFollower,
  indexFollowers,
  type ShownIndex,
} from './publication/index-followers.ports.ts'
export { type FoundPlace, findPlaces, indexVersion, listAncestors } from './walk/places.service.ts'
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
