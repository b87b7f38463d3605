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

export const hireNotFound = refusal(404, 'Hire not found')
/** HIRE-09. */
export const noSubscription = refusal(402, 'The workspace has no active subscription')
/** HIRE-13. */
export const alreadyHired = refusalOf(
  409,
  'The workspace holds this employee already; `detail.existing_hire_id` is its hire',
  (existing_hire_id: string) => ({
    message: 'The workspace holds this employee already',
    existing_hire_id,
  }),
)
/** HIRE-14. */
export const notDeployable = refusal(422, 'The employee has no deployable template yet')

/** Created hires alone count, over any 60 minutes (HIRE-G2). */
export const maxHiresPerHour = 5
export const maxGrantsPerHour = 50
/** HIRE-15. */
export const tooManyHires = refusal(429, `A workspace hires at most ${maxHiresPerHour} employees in an hour`)
/** HIRE-16. */
export const tooManyGrants = refusal(429, `An admin grants at most ${maxGrantsPerHour} hires in an hour`)
export const buildNotFailed = refusal(409, 'The build of this hire has not failed')
/** Also while it is built, and after its end. */
export const noHireAtDesk = refusal(404, 'No employee works at this desk')
export const hireNotRunning = refusal(
  409,
  'The employee is still being built, or does not work here any more',
)

/** HIRE-35. */
export const hireOfOther = refusal(403, 'The hire belongs to another workspace')
/** HIRE-37, HIRE-G12. */
export const hireNotActive = refusal(409, 'Only an active hire can be canceled')
