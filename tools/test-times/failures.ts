export interface Failure {
  /** The file from the root of the repository and the titles down to the test. */
  readonly where: readonly string[]
  readonly message: string
}

const widest = 300

/** A line for each failure, short enough that the end of a log shows all of them. */
export const failureLines = (failures: readonly Failure[]): string[] =>
  failures.map(({ where, message }) => {
    const first =
      message
        .split('\n')
        .find((line) => line.trim() !== '')
        ?.trim() ?? ''
    return `${where.join(' > ')}: ${first.length > widest ? `${first.slice(0, widest)}…` : first}`
  })
