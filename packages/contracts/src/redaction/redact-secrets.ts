import { redactPrivateKeys } from './private-keys.ts'
import { redactAssignments } from './secret-assignments.ts'
import { placedShapes, valueShapes } from './secret-shapes.ts'

/**
 * Takes out what has the shape of a secret, always, before anything is stored, sent or logged. What replaces it says
 * the kind and has no shape of its own, so doing it twice changes nothing. It is done on whole texts: half a secret
 * has no shape.
 */
export function redactSecrets(text: string): { readonly text: string; readonly count: number } {
  let count = 0
  const redact = (kind: string): string => {
    count += 1
    return `[redacted: ${kind}]`
  }
  let left = redactPrivateKeys(text, redact)
  for (const { kind, pattern } of [...valueShapes, ...placedShapes]) {
    left = left.replaceAll(pattern, () => redact(kind))
  }
  return { text: redactAssignments(left, redact), count }
}
