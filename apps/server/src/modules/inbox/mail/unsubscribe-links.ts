import type { KeyedDigests } from '#platform/secrets/keyed-digests.ts'

export const unsubscribePath = '/unsubscribe/inbox'

export interface Recipient {
  readonly brand_id: number
  readonly person_id: number
}

/** Links that end the mail of one inbox. They name it, are signed, and hold as long as the key is accepted. */
export interface UnsubscribeLinks {
  urlOf(recipient: Recipient): string
  /** Whom a token is for; undefined unless this very text was issued. */
  read(token: string): Recipient | undefined
}

const pattern = /^(\d{1,10})\.(\d{1,10})\.([\w-]{1,100})$/

/** `digests` have a purpose of their own, so that nothing else that we sign can be used here. */
export function createUnsubscribeLinks(digests: KeyedDigests, publicUrl: string): UnsubscribeLinks {
  const nameOf = ({ brand_id, person_id }: Recipient) => `${brand_id}.${person_id}`
  return {
    urlOf(recipient) {
      const name = nameOf(recipient)
      return `${publicUrl}${unsubscribePath}?token=${name}.${digests.of(name).toString('base64url')}`
    },
    read(token) {
      const [, brand, person, signature = ''] = pattern.exec(token) ?? []
      const digest = Buffer.from(signature, 'base64url')
      const named = { brand_id: Number(brand), person_id: Number(person) }
      // Decoding is lenient, so several texts mean one signature; only the issued one is accepted.
      const isIssued = `${nameOf(named)}.${digest.toString('base64url')}` === token
      return isIssued && digests.matches(nameOf(named), digest) ? named : undefined
    },
  }
}
