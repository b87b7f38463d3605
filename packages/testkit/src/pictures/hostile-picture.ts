/** Sits in every metadata and payload of the corpus; a served picture that holds it has carried something over. */
export const canary = 'canary-48.8584N-2.2945E'

export interface HostilePicture {
  readonly name: string
  readonly bytes: Buffer
  /** What the sender calls the file, and what it says its type is. */
  readonly filename?: string
  readonly declared?: string
  /** Size and type of what is served afterwards, or why it is refused. */
  readonly answer: Served | 'wrong type' | 'too large'
}

export interface Served {
  readonly width: number
  readonly height: number
  readonly type: 'image/jpeg' | 'image/png'
}

export const jpegOf = (width: number, height: number): Served => ({ width, height, type: 'image/jpeg' })
export const pngOf = (width: number, height: number): Served => ({ width, height, type: 'image/png' })
