import { Info } from '@crewhall/contracts/system/system.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { expect, test } from 'vitest'

const server = useServer('product', { ENVIRONMENT: 'staging' })

test('SYS-08 SYS-09 info answers 200 without a credential, with its four fields', async () => {
  const response = await server.get('/api/v1/system/info')
  expect(response.status).toBe(200)
  expect(Object.keys(Info.parse(await response.json()))).toEqual([
    'name',
    'version',
    'environment',
    'docs_url',
  ])
})
