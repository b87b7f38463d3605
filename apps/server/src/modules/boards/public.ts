export { areBoards } from './boards/known-boards.service.ts'
export {
  type CardLesson,
  type CardLessons,
  type CardMemories,
  cardLessons,
  cardMemories,
  type FoundLessons,
  type KnownProjects,
  knownProjects,
} from './boards.ports.ts'
export {
  type AuthorKind,
  type FinishedCard,
  type FinishedPage,
  type FinishedPlace,
  type FinishedQuery,
  findFinishedCard,
  listFinishedCards,
} from './finished/finished-cards.service.ts'
export { findReadyCard } from './work/ready-card.service.ts'
