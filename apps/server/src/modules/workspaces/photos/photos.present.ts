/** A path of the API; it changes with the photo. */
export const photoUrl = (brandId: number, person_id: number, digest: string): string =>
  `/api/v1/brands/${brandId}/members/${person_id}/photo?v=${versionOf(digest)}`

export const versionOf = (digest: string): string => digest.slice(0, 12)
