import type { SecretBox } from '#platform/secrets/secret-box.ts'

/** Where the credential of an install opens. */
export const placeOf = (brand_id: number, install_id: string): string => `package:${brand_id}:${install_id}`

export const sealCredential = (
  box: SecretBox,
  brand_id: number,
  install_id: string,
  credential: string | null,
): Buffer | null => (credential === null ? null : box.seal(placeOf(brand_id, install_id), credential))
