import type { Readable } from 'node:stream'
import type { StoredObject } from '#platform/storage/storage.ts'

export interface FileFacts {
  readonly content_type: string
  /** Names the bytes: the same digest means the same bytes. A caller that has them is not sent them again. */
  readonly digest: string
  /** `versioned` when the address changes with the bytes, so that a copy needs no second look. */
  readonly keep: 'versioned' | 'revalidate'
  /** Shown in its place, or saved under a name. */
  readonly disposition: 'inline' | { readonly attachment: string }
  /** Asked for only when the caller needs the bytes. */
  load(): Promise<StoredObject['bytes'] | Readable>
  /** How many bytes a stream will have. */
  readonly size?: number
  /** Called when nobody needs the bytes. */
  discard?(): Promise<void>
}

/** A response of bytes that a user uploaded: a photo, a file of a card. */
export class FileAnswer {
  readonly facts: FileFacts

  constructor(facts: FileFacts) {
    this.facts = facts
  }

  get etag(): string {
    return `"${this.facts.digest}"`
  }

  /**
   * Whatever slipped through, a browser must not take it for a page of ours: no guessing of types, no scripts,
   * no frames, nobody else's pages around it, and no copy in a cache that others share.
   */
  get headers(): Record<string, string> {
    const { content_type, keep, disposition } = this.facts
    return {
      'content-type': content_type,
      'content-disposition': disposition === 'inline' ? 'inline' : attachment(disposition.attachment),
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': keep === 'versioned' ? 'private, max-age=86400, immutable' : 'private, no-cache',
      // On a browser that two people share, the copy of one is not for the other.
      vary: 'Authorization, Cookie',
      etag: this.etag,
    }
  }
}

/** RFC 6266: a plain name for old clients, and the real one in UTF-8. */
function attachment(name: string): string {
  const plain = name.replaceAll(/[^\w. -]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
