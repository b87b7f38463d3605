import type { SecretBox } from '#platform/secrets/secret-box.ts'

/** What the remote is shown. */
export type Credential =
  | { readonly kind: 'password'; readonly username: string; readonly password: string }
  | { readonly kind: 'ssh_key'; readonly private_key: string }

/** Where the credential of a project opens. */
export const placeOf = (brand_id: number, project_id: string): string =>
  `repository:${brand_id}:${project_id}`

/** Where its push secret opens. */
export const pushPlaceOf = (brand_id: number, project_id: string): string =>
  `push-hook:${brand_id}:${project_id}`

export const sealCredential = (
  box: SecretBox,
  brand_id: number,
  project_id: string,
  credential: Credential,
): Buffer => box.seal(placeOf(brand_id, project_id), JSON.stringify(credential))

/** Undefined when the key of the installation was lost. */
export function openCredential(
  box: SecretBox,
  brand_id: number,
  project_id: string,
  sealed: Buffer,
): Credential | undefined {
  const text = box.open(placeOf(brand_id, project_id), sealed)
  return text === undefined ? undefined : JSON.parse(text)
}
