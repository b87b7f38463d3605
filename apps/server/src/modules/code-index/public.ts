export { readHistory } from './identity/history.service.ts'
export {
  codeNamedIn,
  keysOfMention,
  keysOfNode,
  type NamedCode,
  namesIn,
} from './mentions/mentions.service.ts'
export type { NodeChange } from './nodes/changes.rules.ts'
export { collectStored, readStored } from './nodes/stored-index.service.ts'
export { getProject, isProject } from './projects/projects.service.ts'
export {
  type IndexedCommit,
  type IndexFollower,
  indexFollowers,
  type ShownIndex,
  type SimilarSymbol,
} from './publication/index-followers.ports.ts'
export { prepareIndex } from './publication/prepare.service.ts'
export { openIndex, publishIndex } from './publication/publication.service.ts'
export { isAttached, oldestAttached } from './repositories/repositories.service.ts'
export { type FoundPlace, findPlaces, indexVersion, listAncestors, listLive } from './walk/places.service.ts'
export type { ReachedNode, WalkDirection, WalkKind, WalkNode, WalkQuery } from './walk/walk.rules.ts'
export {
  type ChangePosition,
  changesSince,
  isReady,
  nodesAfter,
  pathTo,
  resolvePaths,
  type Starts,
  shownPath,
  type Walked,
  walk,
} from './walk/walk.service.ts'
