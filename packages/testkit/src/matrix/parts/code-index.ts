import { randomUUID } from 'node:crypto'
import { identified, type MatrixPart, type Scene } from '../part.ts'

export const codeIndexPart: MatrixPart = {
  resources: {
    project: { ...identified, fresh: addProject },
  },
  bodies: {
    'code.createProject': { name: 'made by the matrix' },
    'code.renameProject': { name: 'renamed by the matrix' },
    'code.attachRepository': { url: 'https://93.184.215.14/team/engine.git' },
  },
  async rows(workspace) {
    return { project: await addProject(workspace) }
  },
  tenant_rows: `
    insert into code_index.projects (brand_id, id, name)
    select id, gen_random_uuid(), 'P' from identity.brands;
    insert into code_index.repositories (brand_id, project_id, url, generation)
    select brand_id, id, 'https://git.example/a.git', 1 from code_index.projects`,
}

async function addProject({ admin, brand_id, mark }: Scene): Promise<string> {
  const id = randomUUID()
  await admin.query('insert into code_index.projects (brand_id, id, name) values ($1, $2, $3)', [
    brand_id,
    id,
    `P ${mark}`,
  ])
  await admin.query(
    `insert into code_index.repositories (brand_id, project_id, url, branch, credential_kind, credential, generation)
     values ($1, $2, $3, $4, 'password', '\\x00', 1)`,
    [brand_id, id, `https://git.example/${mark}.git`, `B-${mark}`],
  )
  return id
}
