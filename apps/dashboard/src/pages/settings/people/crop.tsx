import { type PointerEvent, useEffect, useRef } from 'react'

/** A picture that was decoded, and how it is sent: with its transparency, if it can have one. */
export interface Picture {
  readonly bitmap: ImageBitmap
  readonly type: 'image/jpeg' | 'image/png'
}

/** The square that is kept: how often the picture is enlarged, and where its middle lies, as parts of the way. */
export interface Crop {
  readonly zoom: number
  readonly x: number
  readonly y: number
}

export const firstCrop: Crop = { zoom: 1, x: 0.5, y: 0.5 }

/** As large as the server keeps photos. */
const side = 512
const mostZoom = 4

/** Undefined if the browser cannot read it. */
export async function readPicture(file: File): Promise<Picture | undefined> {
  try {
    const bitmap = await createImageBitmap(file)
    return { bitmap, type: file.type === 'image/jpeg' ? 'image/jpeg' : 'image/png' }
  } catch {
    return undefined
  }
}

/** The kept square in pixels of the picture. */
function squareOf({ width, height }: ImageBitmap, { zoom, x, y }: Crop) {
  const size = Math.min(width, height) / zoom
  return {
    left: (width - size) * x,
    top: (height - size) * y,
    size,
    across: width - size,
    down: height - size,
  }
}

function draw(canvas: HTMLCanvasElement, { bitmap }: Picture, crop: Crop): void {
  const { left, top, size } = squareOf(bitmap, crop)
  const pen = canvas.getContext('2d')
  if (!pen) throw new Error('this browser cannot draw')
  pen.imageSmoothingQuality = 'high'
  pen.clearRect(0, 0, side, side)
  pen.drawImage(bitmap, left, top, size, size, 0, 0, side, side)
}

export async function cutOut(picture: Picture, crop: Crop): Promise<Blob> {
  const canvas = document.createElement('canvas')
  canvas.width = side
  canvas.height = side
  draw(canvas, picture, crop)
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, picture.type, 0.9))
  if (!blob) throw new Error('this browser cannot save the picture')
  return blob
}

interface CropProps {
  readonly picture: Picture
  readonly crop: Crop
  readonly onChange: (crop: Crop) => void
}

/** What will be seen, as it will be seen. It is moved by dragging, or by three sliders, which the keyboard reaches. */
export function CropFrame({ picture, crop, onChange }: CropProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    if (canvas.current) draw(canvas.current, picture, crop)
  }, [picture, crop])
  const drag = ({ currentTarget, buttons, movementX, movementY }: PointerEvent<HTMLCanvasElement>) => {
    if (buttons !== 1) return
    const { size, across, down } = squareOf(picture.bitmap, crop)
    const scale = size / currentTarget.clientWidth
    const moved = (at: number, by: number, way: number) =>
      way === 0 ? at : Math.min(1, Math.max(0, at - (by * scale) / way))
    onChange({ ...crop, x: moved(crop.x, movementX, across), y: moved(crop.y, movementY, down) })
  }
  return (
    <div className="flex flex-col items-center gap-4 sm:flex-row sm:items-center">
      <canvas
        ref={canvas}
        width={side}
        height={side}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        className="size-48 shrink-0 cursor-move touch-none rounded-full bg-sunken"
      >
        The part of the picture that is kept
      </canvas>
      <div className="flex w-full min-w-0 flex-col gap-3">
        <Slider
          label="Zoom"
          value={(crop.zoom - 1) / (mostZoom - 1)}
          onChange={(part) => onChange({ ...crop, zoom: 1 + part * (mostZoom - 1) })}
        />
        <Slider label="Left to right" value={crop.x} onChange={(x) => onChange({ ...crop, x })} />
        <Slider label="Top to bottom" value={crop.y} onChange={(y) => onChange({ ...crop, y })} />
      </div>
    </div>
  )
}

interface SliderProps {
  readonly label: string
  /** From 0 to 1. */
  readonly value: number
  readonly onChange: (value: number) => void
}

function Slider({ label, value, onChange }: SliderProps) {
  return (
    <label className="flex flex-col gap-1">
      <span className="text-ink-2 text-meta">{label}</span>
      <input
        type="range"
        min={0}
        max={100}
        value={Math.round(value * 100)}
        onChange={({ target }) => onChange(Number(target.value) / 100)}
        className="h-6 w-full accent-ink"
      />
    </label>
  )
}
