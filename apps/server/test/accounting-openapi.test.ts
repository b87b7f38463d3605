import { readFileSync } from 'node:fs'
import { openApiDocument } from '@crewhall/contracts/openapi.ts'
import { refusal } from '@crewhall/contracts/refusal.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { allRoutes } from '@crewhall/contracts/routes.ts'
import { getInfo, Info } from '@crewhall/contracts/system/system.ts'
import { root } from '@crewhall/testkit/server-process.ts'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { documentInfo } from '#platform/http/docs.ts'
import { openApiJson } from '../../../tools/gen/openapi.ts'
import { staleFiles } from '../../../tools/gen/stale-files.ts'
import { version } from '../src/version.ts'
import { probeRoutes } from './probe/probe.contract.ts'

const documentOf = (routes: readonly AnyRoute[]) => openApiDocument(routes, documentInfo(version))
const textOf = (routes: readonly AnyRoute[]) => `${JSON.stringify(documentOf(routes), null, 2)}\n`
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8')
const staleWith = (text: string) => staleFiles(new Map([['openapi.json', text]]), read).map(([path]) => path)

describe('the document', () => {
  test.each([
    ['the product', allRoutes],
    ['the probe', [...allRoutes, ...Object.values(probeRoutes.probe)]],
  ])('of %s is valid OpenAPI 3.1', async (_, routes) => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate(documentOf(routes))
    expect(errors).toBeUndefined()
    expect([valid, validator.version]).toEqual([true, '3.1'])
  })

  test('without a title is not valid, so the validator looks', async () => {
    const { info: _, ...rest } = documentOf(allRoutes)
    expect((await new Validator().validate({ ...rest, info: { version } })).valid).toBe(false)
  })
})

describe('openapi.json', () => {
  const changed = (change: Partial<AnyRoute>): AnyRoute[] =>
    allRoutes.map((each) => (each === getInfo ? { ...each, ...change } : each))

  test('is what the contracts say', () => {
    expect(staleWith(openApiJson())).toEqual([])
    expect(textOf(allRoutes)).toBe(openApiJson())
  })

  test.each([
    ['a field is added to an answer', changed({ responses: { 200: Info.extend({ planted: z.string() }) } })],
    ['a route is removed', allRoutes.filter((each) => each !== getInfo)],
    ['a refusal is added', changed({ refusals: [refusal(418, 'Planted')] })],
  ])('is stale when %s', (_, routes) => {
    expect(staleWith(textOf(routes))).toEqual(['openapi.json'])
  })

  test('is stale when it is not there', () => {
    expect(staleFiles(new Map([['nowhere.json', '{}']]), () => undefined)).toHaveLength(1)
  })
})
