import { z } from 'zod'
import { platformAdminRequired } from '../identity/refusals.ts'
import { platformAdmin, route, token } from '../route.ts'
import { pageLimit, Timestamp, text } from '../wire.ts'
import * as refused from './refusals.ts'

/** Short enough that `<key>__<tool>` leaves room for the name of a tool within 64 characters. */
export const PackageKey = z
  .string()
  .regex(/^[a-z][a-z0-9-]{1,23}$/, 'must be 2 to 24 lower-case letters, digits or -')
  .meta({ examples: ['boards'] })

export const PackageVersion = z
  .string()
  .regex(/^(0|[1-9]\d{0,5})(\.(0|[1-9]\d{0,5})){2}$/, 'must be a version such as 1.27.0')
  .meta({ examples: ['1.27.0'] })

export const packageKinds = ['builtin', 'http'] as const
export type PackageKind = (typeof packageKinds)[number]
export const credentialNeeds = ['none', 'optional', 'required'] as const

export const PackageMethod = z
  .object({
    name: z.string(),
    /** The version that brought it. */
    since: z.string(),
    summary: z.string(),
  })
  .meta({ id: 'PackageMethod' })
export type PackageMethod = z.infer<typeof PackageMethod>

const VersionSummary = z.object({
  version: z.string(),
  method_count: z.int(),
  /** What it may touch, in sentences. */
  touches: z.array(z.string()),
  /** Whether an install takes a credential for the server of the package. */
  credential: z.enum(credentialNeeds),
  published_at: Timestamp,
  withdrawn_at: Timestamp.nullable(),
})

export const Package = z
  .object({
    key: z.string(),
    kind: z.enum(packageKinds),
    title: z.string(),
    description: z.string(),
    publisher: z.string(),
    /** The newest one that was not withdrawn; null if there is none. */
    latest_version: z.string().nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Package' })
export type Package = z.infer<typeof Package>

export const PackageWithVersions = Package.extend({
  /** Newest first. */
  versions: z.array(VersionSummary).max(refused.maxVersions),
}).meta({ id: 'PackageWithVersions' })
export type PackageWithVersions = z.infer<typeof PackageWithVersions>

export const PublishedVersion = VersionSummary.extend({
  package_key: z.string(),
  /** Of the server of an `http` package. */
  url: z.string().nullable(),
  methods: z.array(PackageMethod),
}).meta({ id: 'PublishedVersion' })
export type PublishedVersion = z.infer<typeof PublishedVersion>

const maxPage = 100
const members = { auth: token('brand:read') } as const
const operators = { auth: platformAdmin() } as const
const one = {
  params: z.object({ package_key: PackageKey }),
  resources: { package_key: 'package' },
  missing: refused.packageNotFound,
} as const
const oneVersion = {
  params: z.object({ package_key: PackageKey, version: PackageVersion }),
  resources: { package_key: 'package', version: 'package_version' },
  missing: refused.versionNotFound,
} as const
const page = {
  query: z.object({ after: PackageKey.optional(), limit: pageLimit(maxPage) }),
  /** `next_after` is the `after` of the next page; null when this is the last one. */
  responses: { 200: z.object({ items: z.array(Package).max(maxPage), next_after: z.string().nullable() }) },
} as const

export const listPackages = route({
  ...members,
  ...page,
  id: 'marketplace.listPackages',
  method: 'GET',
  path: '/api/v1/marketplace/packages',
  summary: 'List the packages that can be installed, by key',
  description:
    'Packages with at least one version that was not withdrawn. Pass `next_after` as `after` to read on; it is null on the last page.',
  example: { query: { limit: '50' } },
})

export const getPackage = route({
  ...members,
  ...one,
  id: 'marketplace.getPackage',
  method: 'GET',
  path: '/api/v1/marketplace/packages/{package_key}',
  summary: 'Get a package and its versions',
  description: '`touches` says in sentences what a version may read and change.',
  responses: { 200: PackageWithVersions },
  refusals: [refused.packageNotFound],
})

export const getPackageVersion = route({
  ...members,
  ...oneVersion,
  id: 'marketplace.getPackageVersion',
  method: 'GET',
  path: '/api/v1/marketplace/packages/{package_key}/versions/{version}',
  summary: 'Get a version of a package with its methods',
  description:
    '`since` of a method is the version that brought it. The methods of `http` packages are those that its publisher names; what its server offers is listed and pinned when it is installed.',
  responses: { 200: PublishedVersion },
  refusals: [refused.versionNotFound],
})

export const listAllPackages = route({
  ...operators,
  ...page,
  id: 'marketplace.listAllPackages',
  method: 'GET',
  path: '/api/v1/admin/packages',
  summary: 'List all packages, by key',
  description: 'Includes packages without a version that can be installed.',
  example: { query: { limit: '50' } },
  refusals: [platformAdminRequired],
})

const texts = { title: text(1, 100), description: text(1, 2000), publisher: text(1, 100) }

export const publishPackage = route({
  ...operators,
  id: 'marketplace.publishPackage',
  method: 'POST',
  path: '/api/v1/admin/packages',
  summary: 'Publish a package of tools on another server',
  description:
    'It can be installed once it has a version. Built-in packages are published with the server and cannot be changed.',
  example: {
    body: {
      key: 'weather',
      title: 'Weather',
      description: 'Forecasts for any place.',
      publisher: 'Example Weather Inc.',
    },
  },
  body: z.object({ key: PackageKey, ...texts }),
  responses: { 201: Package },
  refusals: [platformAdminRequired, refused.packageExists],
})

/** One that a platform admin has published. */
const published = {
  ...operators,
  ...one,
  resources: { package_key: 'published_package' },
} as const

export const changePackage = route({
  ...published,
  id: 'marketplace.changePackage',
  method: 'PATCH',
  path: '/api/v1/admin/packages/{package_key}',
  summary: 'Change the texts of a package',
  description: 'Only the fields in the body change. The key and the versions stay.',
  example: { body: { title: 'Weather and tides' } },
  body: z.object(texts).partial(),
  responses: { 200: Package },
  refusals: [platformAdminRequired, refused.packageNotFound, refused.packageBuiltIn],
})

export const publishVersion = route({
  ...published,
  id: 'marketplace.publishVersion',
  method: 'POST',
  path: '/api/v1/admin/packages/{package_key}/versions',
  summary: 'Publish a version of a package',
  description:
    'A published version does not change: the same content again changes nothing, other content gets 409. `url` is the address of the MCP server: https, on the public Internet. `credential` says whether an install takes one, which is sent to the server as a bearer token.',
  example: {
    body: {
      version: '1.1.0',
      url: 'https://93.184.215.14/mcp',
      touches: ['Sends the names of places to Example Weather Inc.'],
      credential: 'optional',
    },
  },
  body: z.object({
    version: PackageVersion,
    url: text(1, 2000),
    touches: z.array(text(1, 300)).min(1).max(20),
    credential: z.enum(credentialNeeds),
    methods: z
      .array(z.object({ name: text(1, 100), since: PackageVersion, summary: text(0, 300) }))
      .max(200)
      .optional(),
  }),
  responses: { 201: PublishedVersion },
  refusals: [
    platformAdminRequired,
    refused.packageNotFound,
    refused.packageBuiltIn,
    refused.versionPublished,
    refused.tooManyVersions,
    refused.serverAddressRefused,
  ],
})

export const withdrawVersion = route({
  ...operators,
  ...oneVersion,
  id: 'marketplace.withdrawVersion',
  method: 'POST',
  path: '/api/v1/admin/packages/{package_key}/versions/{version}/withdraw',
  summary: 'Withdraw a version of a package',
  description:
    'It can no longer be installed, and its tools disappear in every workspace within a minute. Installs stay and can move to another version. This cannot be undone; a second time changes nothing.',
  resources: { package_key: 'published_package', version: 'published_version' },
  responses: { 200: PublishedVersion },
  refusals: [platformAdminRequired, refused.versionNotFound, refused.packageBuiltIn],
})
