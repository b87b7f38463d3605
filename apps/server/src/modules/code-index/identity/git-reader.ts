/** Git on the clone of one project. How it is started safely is the business of whoever makes the clone. */
export type GitReader = (args: readonly string[], options?: GitReadOptions) => Promise<GitOutput>

export interface GitReadOptions {
  readonly input?: string
  readonly limit_ms?: number
}

export interface GitOutput {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** It took longer, or said more, than it may. */
export class GitLimit extends Error {
  override readonly name = 'GitLimit'
}
