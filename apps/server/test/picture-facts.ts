import sharp from 'sharp'

export interface PictureFacts {
  readonly format: string
  readonly width: number
  readonly height: number
  readonly has_alpha: boolean
  /** Names of what the file carries beside its pixels. */
  readonly metadata: readonly string[]
  /** The colour of the first pixel. */
  readonly first: readonly number[]
}

/** What a decoder makes of a served picture, down to its last pixel; throws when there is anything wrong with it. */
export async function pictureFacts(bytes: Uint8Array): Promise<PictureFacts> {
  const strict = { failOn: 'warning' } as const
  const facts = await sharp(bytes, strict).metadata()
  const { data, info } = await sharp(bytes, strict).raw().toBuffer({ resolveWithObject: true })
  const carried = ['exif', 'icc', 'iptc', 'xmp', 'comments', 'orientation', 'tifftagPhotoshop'] as const
  return {
    format: facts.format,
    width: info.width,
    height: info.height,
    has_alpha: facts.hasAlpha,
    metadata: carried.filter((name) => facts[name] !== undefined),
    first: [...data.subarray(0, info.channels)],
  }
}
