import { randomUUID } from 'node:crypto'
import { identified, type MatrixPart, type Scene } from '../part.ts'

export const codeIndexPart: MatrixPart = {
  resources: {
    project: { ...identified, fresh: addProject },
  },
  bodies: {
    'code.createProject': { name: 'made by the matrix' },
    'code.renameProject': { name: 'renamed by the matrix' },
  },
  async rows(workspace) {
    return { project: await addProject(workspace) }
  },
  tenant_rows: `
    insert into code_index.projects (brand_id, id, name)
    select id, gen_random_uuid(), 'P' from identity.brands`,
}

async function addProject({ admin, brand_id, mark }: Scene): Promise<string> {
  const id = randomUUID()
  await admin.query('insert into code_index.projects (brand_id, id, name) values ($1, $2, $3)', [
    brand_id,
    id,
    `P ${mark}`,
  ])
  return id
}
