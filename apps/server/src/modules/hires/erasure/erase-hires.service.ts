import * as store from './erase-hires.store.ts'

/** In the order in which rows refer to each other. */
export const hireRowsOfBrand = [
  store.deleteRemovals,
  store.deleteRecords,
  store.deleteSteps,
  store.deleteHires,
]
