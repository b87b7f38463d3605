import { useState } from 'react'
import { classNames } from './class-names.ts'

interface AvatarProps {
  readonly name: string
  /** A circle is a person, a rounded square an agent. */
  readonly kind: 'person' | 'agent'
  /** Chooses the tint, so that a name that changes keeps it. */
  readonly id: string
  readonly image?: string | null
  readonly size?: 20 | 22 | 30 | 40
  /** A ring: works right now. */
  readonly isWorking?: boolean
}

const tints = 6

/** Decorative: the name stands beside it or in its title. */
export function Avatar({ name, kind, id, image, size = 22, isWorking = false }: AvatarProps) {
  // One that cannot be read is as good as none; another address is another try.
  const [broken, setBroken] = useState<string>()
  const shape = kind === 'person' ? 'rounded-full' : size > 24 ? 'rounded-control' : 'rounded-tag'
  return (
    <span
      aria-hidden
      title={name}
      data-kind={kind}
      data-tint={tintOf(id)}
      style={{ width: size, height: size, fontSize: Math.max(8, Math.round(size * 0.4)) }}
      className={classNames(
        'avatar inline-flex shrink-0 select-none items-center justify-center overflow-hidden font-semibold leading-none',
        shape,
        isWorking && 'outline-2 outline-live-mark outline-offset-1',
      )}
    >
      {image && image !== broken ? (
        <img
          src={image}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => setBroken(image)}
          className="size-full object-cover"
        />
      ) : (
        initialsOf(name, kind)
      )}
    </span>
  )
}

function tintOf(id: string): number {
  let sum = 0
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return sum % tints
}

/** People by the first letters of their names, agents by the first two of theirs. */
function initialsOf(name: string, kind: AvatarProps['kind']): string {
  const words = name.trim().split(/\s+/)
  const letters = (text: string, count: number) => Array.from(text).slice(0, count).join('')
  if (kind === 'agent' || words.length < 2) return letters(words[0] ?? '', kind === 'agent' ? 2 : 1)
  return `${letters(words[0] ?? '', 1)}${letters(words.at(-1) ?? '', 1)}`.toUpperCase()
}
