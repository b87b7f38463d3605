/** Why a file was left as it is. */
export type UntouchedReason =
  | 'too_large'
  | 'link'
  | 'hard_linked'
  | 'not_a_file'
  | 'owner'
  | 'not_writable'
  | 'disk_full'
  | 'busy'
  | 'no_directory'
  | 'io_error'

export class Untouched extends Error {
  readonly reason: UntouchedReason

  constructor(reason: UntouchedReason, options?: ErrorOptions) {
    super(`the file was left untouched: ${reason}`, options)
    this.name = 'Untouched'
    this.reason = reason
  }
}

const reasons: Readonly<Record<string, UntouchedReason>> = {
  EACCES: 'not_writable',
  EPERM: 'not_writable',
  EROFS: 'not_writable',
  ENOSPC: 'disk_full',
  EDQUOT: 'disk_full',
  EFBIG: 'disk_full',
  ENOENT: 'no_directory',
}

/** What the system refused becomes a reason; an error of ours passes. */
export function untouchedOf(error: unknown): Untouched {
  if (error instanceof Untouched) return error
  const code =
    error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined
  if (code === undefined) throw error
  return new Untouched(reasons[code] ?? 'io_error', { cause: error })
}
