import { deletingIndex } from './erase-index.store.ts'
import * as store from './erase-projects.store.ts'

/** Projects last: all other rows refer to them. */
export const projectRowsOfBrand = [
  ...deletingIndex,
  store.deleteRuns,
  store.deleteRepositories,
  store.deleteProjects,
]
