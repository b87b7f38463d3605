import { deflateSync } from 'node:zlib'
import { png } from '@crewhall/testkit/pictures/picture-png.ts'

const size = 128

type Colour = readonly [number, number, number]
export interface Portrait {
  readonly ground: Colour
  readonly skin: Colour
  readonly hair: Colour
  readonly coat: Colour
}

/** A drawn head and shoulders: a photo of nobody, so that the demo shows where photos go. */
export function portrait({ ground, skin, hair, coat }: Portrait): Uint8Array<ArrayBuffer> {
  const rows: Buffer[] = []
  for (let y = 0; y < size; y += 1) {
    const row = Buffer.alloc(1 + size * 3)
    for (let x = 0; x < size; x += 1) {
      const colour = inside(x, y, 64, 60, 25, 30)
        ? y < 44
          ? hair
          : skin
        : inside(x, y, 64, 52, 31, 34) && y < 66
          ? hair
          : inside(x, y, 64, 132, 52, 46) || (Math.abs(x - 64) < 10 && y > 80 && y < 100)
            ? y < 98 && Math.abs(x - 64) < 10
              ? skin
              : coat
            : ground
      row.set(colour, 1 + x * 3)
    }
    rows.push(row)
  }
  return new Uint8Array(png({ width: size, height: size, data: deflateSync(Buffer.concat(rows)) }))
}

const inside = (x: number, y: number, cx: number, cy: number, rx: number, ry: number): boolean =>
  ((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 <= 1
