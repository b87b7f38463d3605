/**
 * What a desk signs with its Ed25519 key, as server and sidecar both build it. It is HTTP Message Signatures (RFC 9421)
 * with Content-Digest (RFC 9530) in one fixed form: whatever is written differently is not signed.
 *
 * ```
 * Content-Digest: sha-256=:<base64>:
 * Signature-Input: desk=("@method" "@path" "content-digest");created=…;keyid="…";nonce="…";tag="crewhall-desk"
 * Signature: desk=:<base64>:
 * ```
 */
export const signatureFields = {
  digest: 'content-digest',
  input: 'signature-input',
  signature: 'signature',
} as const

export interface SignatureFacts {
  /** Whose key: the id of the desk, or, while it joins, its public key (32 bytes in base64url). */
  readonly key_id: string
  /** In seconds since 1970, by the clock of the desk. */
  readonly created: number
  /** Of a request: `<boot id>/<sequence>`. Of a response: what the caller has sent. */
  readonly nonce: string
}

/** Names one process of a sidecar and one of its requests. The sequence rises with every request of the process. */
export interface SequenceFacts {
  readonly boot_id: string
  readonly sequence: number
}

const covered = {
  request: { parts: '("@method" "@path" "content-digest")', tag: 'crewhall-desk' },
  health: { parts: '("@status" "content-digest")', tag: 'crewhall-desk-health' },
} as const
export type Signed = keyof typeof covered

/** The value of `@signature-params`: `Signature-Input` is this after `desk=`. */
function paramsOf(signed: Signed, { key_id, created, nonce }: SignatureFacts): string {
  const { parts, tag } = covered[signed]
  return `${parts};created=${created};keyid="${key_id}";nonce="${nonce}";tag="${tag}"`
}

export const signatureInput = (signed: Signed, facts: SignatureFacts): string =>
  `desk=${paramsOf(signed, facts)}`

const inputForm =
  /^desk=(?<parts>\([^()]{1,80}\));created=(?<created>[1-9]\d{0,10});keyid="(?<key_id>[A-Za-z0-9_-]{36,43})";nonce="(?<nonce>[A-Za-z0-9_/-]{1,80})";tag="(?<tag>[a-z-]{1,40})"$/

export function parseSignatureInput(signed: Signed, header: unknown): SignatureFacts | undefined {
  const found = typeof header === 'string' ? inputForm.exec(header)?.groups : undefined
  if (!found || found.parts !== covered[signed].parts || found.tag !== covered[signed].tag) return undefined
  const { key_id = '', created, nonce = '' } = found
  return { key_id, created: Number(created), nonce }
}

const nonceForm =
  /^(?<boot_id>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/(?<sequence>[1-9]\d{0,14})$/

export const sequenceNonce = ({ boot_id, sequence }: SequenceFacts): string => `${boot_id}/${sequence}`

export function parseSequenceNonce(nonce: string): SequenceFacts | undefined {
  const found = nonceForm.exec(nonce)?.groups
  return found && { boot_id: found.boot_id ?? '', sequence: Number(found.sequence) }
}

/** What is signed of a request: its method in capitals, its path without a query, and the digest of its body. */
export const requestBase = (
  { method, path, digest }: { method: string; path: string; digest: string },
  facts: SignatureFacts,
): string =>
  `"@method": ${method}\n"@path": ${path}\n"content-digest": ${digest}\n"@signature-params": ${paramsOf('request', facts)}`

/** What is signed of a health response, whose status is always 200. */
export const healthBase = ({ digest }: { digest: string }, facts: SignatureFacts): string =>
  `"@status": 200\n"content-digest": ${digest}\n"@signature-params": ${paramsOf('health', facts)}`

/** Of the SHA-256 of a body, in base64. */
export const contentDigest = (sha256: string): string => `sha-256=:${sha256}:`

/** Of 64 bytes in base64. */
export const signatureHeader = (signature: string): string => `desk=:${signature}:`

const signatureForm = /^desk=:([A-Za-z0-9+/]{86}==):$/

/** In base64. */
export const parseSignature = (header: unknown): string | undefined =>
  typeof header === 'string' ? signatureForm.exec(header)?.[1] : undefined

/** What the server signs of a command: the text as it is sent, so that nothing has to be put into an order first. */
export const commandBase = (payload: string): string => `crewhall-desk-command\n${payload}`

/** What the old command key signs of the new one. */
export const commandKeyBase = (deskId: string, key: string): string =>
  `crewhall-desk-command-key\n${deskId}\n${key}`

/** What the root key signs of the key that bundles are signed with. */
export const bundleKeyBase = (key: string): string => `crewhall-sidecar-bundle-key\n${key}`

interface SignedBundle {
  readonly version: string
  readonly floor: string
  readonly bytes: number
  readonly sha256: string
}
/** What is signed of a bundle: its digest under no other version, and with no other floor. */
export const bundleBase = ({ version, floor, bytes, sha256 }: SignedBundle): string =>
  `crewhall-sidecar-bundle\n${version}\n${floor}\n${bytes}\n${sha256}`

interface SignedNode {
  readonly version: string
  readonly arch: string
  readonly bytes: number
  readonly sha256: string
  readonly program_sha256: string
}
/** What is signed of a Node. */
export const nodeBase = ({ version, arch, bytes, sha256, program_sha256 }: SignedNode): string =>
  `crewhall-node\n${version}\n${arch}\n${bytes}\n${sha256}\n${program_sha256}`

/** What is signed of an npm. */
export const npmBase = ({ version, bytes, sha256 }: Omit<SignedBundle, 'floor'>): string =>
  `crewhall-npm\n${version}\n${bytes}\n${sha256}`
