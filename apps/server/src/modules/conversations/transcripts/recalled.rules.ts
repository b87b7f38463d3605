import { isOwnUnit, type OwnTexts, unitsOf } from '@crewhall/contracts/memory/own-texts.ts'
import type { Filter } from './noise.rules.ts'

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi

/**
 * What an agent recalled and then said or was shown must not become a memory again. A paragraph that names a memory of
 * ours was printed from it; elsewhere each sentence and line is judged by its wording alone.
 */
export const withoutRecalled =
  (own: OwnTexts): Filter =>
  (text, drop) => {
    if (own.memory_ids.size === 0 && own.shingles.size === 0) return text
    return text
      .split(/\n{2,}/)
      .map((paragraph) => {
        if ([...paragraph.matchAll(uuid)].some(([id]) => own.memory_ids.has(id.toLowerCase()))) {
          drop('recalled')
          return ''
        }
        return unitsOf(paragraph)
          .map((unit) => {
            if (!isOwnUnit(unit, own.shingles)) return unit
            drop('recalled')
            return unit.endsWith('\n') ? '\n' : ''
          })
          .join('')
      })
      .join('\n\n')
  }
