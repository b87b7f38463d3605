import * as store from './erase-installs.store.ts'

/** In the order in which rows refer to each other. */
export const installRowsOfBrand = [store.deleteReferences, store.deleteGrants, store.deleteInstalls]
