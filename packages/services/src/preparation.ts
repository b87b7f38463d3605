let spentMs = 0
let beganMs = 0
let depth = 0

/** Does what a machine needs once. Parts of it may be such work as well, or run at the same time. */
export async function preparing<T>(work: () => Promise<T>): Promise<T> {
  if (depth === 0) beganMs = performance.now()
  depth += 1
  try {
    return await work()
  } finally {
    depth -= 1
    if (depth === 0) spentMs += performance.now() - beganMs
  }
}

/** How long this process did so: whoever tells how long it took can tell that apart. */
export const preparationMs = (): number => spentMs
