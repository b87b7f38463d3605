import * as store from './erase-projects.store.ts'

/** Projects last: all other rows refer to them. */
export const projectRowsOfBrand = [store.deleteRepositories, store.deleteProjects]
