/** Calls of Linux that Node has no names for. Each returns 0 or the number of the error. */
export interface Libc {
  /** Two names of a directory change places in one step: whatever was there is at hand afterwards. */
  exchange(dirFd: number, one: string, other: string): number
  /** Fails if the other name is taken. */
  renameNew(dirFd: number, from: string, to: string): number
  /** Advisory; ends with the descriptor. Does not wait. */
  lock(fd: number): number
  /** `EAGAIN` while somebody has the file open for writing. Takes a lease and gives it back at once. */
  isUnwritten(fd: number): number
}

export const errno = { again: 11, exists: 17, invalid: 22, missing: 2, unknownCall: 38 } as const

const renameNoReplace = 1
const renameExchange = 2
const lockExclusively = 2 | 4
const setSignal = 10
const setLease = 1024
const [readLease, noLease] = [0, 2]
/** Ignored by default. The one that leases send otherwise ends the process. */
const sigurg = 23

/** Undefined where there is no such library, as on another system. */
export async function loadLibc(): Promise<Libc | undefined> {
  if (process.platform !== 'linux') return undefined
  try {
    const { dlopen, getInt32 } = await import('node:ffi')
    const { functions } = dlopen(null, {
      renameat2: { arguments: ['i32', 'string', 'i32', 'string', 'u32'], return: 'i32' },
      flock: { arguments: ['i32', 'i32'], return: 'i32' },
      fcntl: { arguments: ['i32', 'i32', 'i32'], return: 'i32' },
      __errno_location: { arguments: [], return: 'pointer' },
    })
    const outcome = (result: number): number => (result === 0 ? 0 : getInt32(functions.__errno_location()))
    const rename = (dirFd: number, from: string, to: string, flags: number) =>
      outcome(functions.renameat2(dirFd, from, dirFd, to, flags))
    return {
      exchange: (dirFd, one, other) => rename(dirFd, one, other, renameExchange),
      renameNew: (dirFd, from, to) => rename(dirFd, from, to, renameNoReplace),
      lock: (fd) => outcome(functions.flock(fd, lockExclusively)),
      isUnwritten(fd) {
        functions.fcntl(fd, setSignal, sigurg)
        const taken = outcome(functions.fcntl(fd, setLease, readLease))
        if (taken === 0) functions.fcntl(fd, setLease, noLease)
        return taken
      },
    }
  } catch {
    return undefined
  }
}
