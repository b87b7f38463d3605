import { writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { decode, lockDown } from '#platform/images/decode.ts'
import type { Order, Verdict } from '#platform/images/decoders.ts'

// A process of its own for what strangers send: it has no credentials in its environment, may crash or be
// ended at any time, gives its memory back when it goes, and is the first to go when the machine runs short.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
try {
  writeFileSync('/proc/self/oom_score_adj', '1000')
} catch {
  // Not on Linux, or not allowed; nothing depends on it.
}
lockDown()

process.on('message', ({ bytes, kind, rules }: Order) => {
  decode(bytes, kind, rules).then(
    (picture) => tell({ picture }),
    (error: unknown) => tell({ fault: error instanceof Error ? error.message.slice(0, 200) : 'unknown' }),
  )
})
process.on('disconnect', () => process.exit(0))

const tell = (verdict: Verdict): void => {
  process.send?.(verdict)
}
