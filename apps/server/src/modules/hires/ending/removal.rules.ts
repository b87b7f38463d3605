const waits = [60, 300, 1800, 7200, 28_800]
const daily = 86_400

/** Until the next try after so many that have failed. It never gives up. */
export const nextTrySeconds = (failures: number): number => waits[failures - 1] ?? daily

/** When a directory that was removed is looked at again: a worker that slept may have put it back. */
const looks = [600, 3600, daily]

/** Until the next look after so many; undefined when it has been looked at often enough. */
export const nextLookSeconds = (looked: number): number | undefined => looks[looked]
