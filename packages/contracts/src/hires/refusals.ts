import { refusal, refusalOf } from '../refusal.ts'

/** HIRE-12: unknown, a draft and withdrawn look the same to a workspace. */
export const employeeNotFound = refusal(404, 'Employee not found')
export const employeeKeyTaken = refusal(409, 'An employee with this key already exists')
export const neverPublished = refusal(409, 'The employee was never published')
export const employeeChanged = refusal(409, 'The employee has changed since this revision; read it again')

export interface TemplateFault {
  /** Where in the template, such as `files[2].name`. */
  readonly field: string
  readonly reason: string
}

export const templateRefused = refusalOf(
  422,
  'The template cannot be published; `detail.faults` lists every fault with its field and reason',
  (faults: readonly TemplateFault[]) => ({ message: 'The template cannot be published', faults }),
)
