import { readFileSync } from 'node:fs'
import { Info } from '@crewhall/contracts/system/system.ts'
import { root } from '@crewhall/testkit/server-process.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { describe, expect, test } from 'vitest'

const server = useServer('product', { ENVIRONMENT: 'staging' })
const path = '/api/v1/system/info'
const read = async () => Info.parse(await (await server.get(path)).json())

test('SYS-08 SYS-09 info answers 200 without a credential, with its four fields', async () => {
  const response = await server.get(path)
  expect(response.status).toBe(200)
  expect(Object.keys(Info.parse(await response.json()))).toEqual([
    'name',
    'version',
    'environment',
    'docs_url',
  ])
})

test('SYS-10 the name is the identifier of the service', async () => {
  expect((await read()).name).toBe('crewhall')
})

test('SYS-11 the version is the semantic version of the server that runs', async () => {
  const { version } = JSON.parse(readFileSync(`${root}/apps/server/package.json`, 'utf8')) as {
    version: string
  }
  const told = (await read()).version
  expect(told).toBe(version)
  expect(told).toMatch(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[\w.-]+)?(\+[\w.-]+)?$/)
})

describe('SYS-12 the environment is the one the operator named', () => {
  test.each(['production', 'staging', 'development'])('%s', async (environment) => {
    const api = await server.start('api', {
      ENVIRONMENT: environment,
      PUBLIC_URL: 'https://crewhall.example',
    })
    const response = await fetch(`${api.url}${path}`)
    expect(await response.json()).toMatchObject({ environment })
  })

  test('development when the operator named none', async () => {
    const api = await server.start('api', { ENVIRONMENT: '' })
    expect(await (await fetch(`${api.url}${path}`)).json()).toMatchObject({ environment: 'development' })
  })

  test.each(['prod', 'PRODUCTION', 'test'])('and %s is refused at the start', async (environment) => {
    await expect(server.start('api', { ENVIRONMENT: environment })).rejects.toThrow(
      /ended with [1-9]\d*[\s\S]*ENVIRONMENT/,
    )
  })
})
