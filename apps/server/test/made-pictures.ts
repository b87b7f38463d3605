import sharp from 'sharp'

/** Pictures that the kit has no encoder for. */
export const webpPicture = (): Promise<Uint8Array> =>
  sharp({ create: { width: 40, height: 20, channels: 3, background: '#206080' } })
    .webp({ lossless: true })
    .toBuffer()

/** Three times as wide as high: the middle is blue, a little more than a square of it, the rest red. */
export const stripedPicture = (): Promise<Uint8Array> =>
  sharp({ create: { width: 300, height: 100, channels: 3, background: '#ff0000' } })
    .composite([
      {
        input: { create: { width: 140, height: 100, channels: 3, background: '#0000ff' } },
        left: 80,
        top: 0,
      },
    ])
    .png()
    .toBuffer()
