import { routes } from '@crewhall/contracts/routes.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'

/** Every method that `call` takes; one that is named here is not among them. */
export async function listMethods(context: Context, [name]: readonly string[]): Promise<undefined> {
  const methods = Object.entries(routes).flatMap(([module, all]) =>
    Object.entries(all).map(([method, { summary, path, method: verb }]) => ({
      name: `${module}.${method}`,
      method: verb,
      path,
      summary,
    })),
  )
  if (name !== undefined) {
    const near = methods.filter((each) =>
      each.name.toLowerCase().includes((name.split('.')[1] ?? name).toLowerCase()),
    )
    const names = near.slice(0, 5).map((each) => each.name)
    throw new Failure('not_found', `there is no method ${name}`, {
      remedy: names.length > 0 ? `perhaps ${names.join(', ')}` : 'crewhall call lists them',
    })
  }
  const fields = ['name', 'method', 'path', 'summary']
  await context.printer.result({ methods }, { list: 'methods', fields, columns: ['name', 'summary'] })
  return undefined
}
