/** Stops waiting for a next item when the signal is aborted, whatever the one who makes it waits for. */
export async function* untilAborted<Item>(
  items: AsyncIterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item, void> {
  const iterator = items[Symbol.asyncIterator]()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  // Nobody may be waiting for it by then.
  aborted.catch(() => {})
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    signal.throwIfAborted()
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted])
      if (next.done) return
      yield next.value
      signal.throwIfAborted()
    }
  } finally {
    signal.removeEventListener('abort', abort)
    // It may still wait: then it tidies up when it wakes.
    const end = iterator.return?.().catch(() => {})
    if (!signal.aborted) await end
  }
}
