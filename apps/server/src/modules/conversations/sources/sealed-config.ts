import type { SourceConfig } from '@crewhall/contracts/conversations/sources.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'

/** Where the settings of a source open. */
export const placeOf = (brand_id: number, source_id: string): string =>
  `conversation-source:${brand_id}:${source_id}`

export const sealConfig = (box: SecretBox, brand_id: number, id: string, config: SourceConfig): Buffer =>
  box.seal(placeOf(brand_id, id), JSON.stringify(config))

/** Undefined when the key of the installation was lost. */
export function openConfig(
  box: SecretBox,
  brand_id: number,
  id: string,
  sealed: Buffer,
): SourceConfig | undefined {
  const text = box.open(placeOf(brand_id, id), sealed)
  return text === undefined ? undefined : JSON.parse(text)
}
