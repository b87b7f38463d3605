/** The parts of CycloneDX that we write. */
export interface Component {
  readonly 'bom-ref': string
  readonly type: string
  readonly name: string
  readonly version: string
  readonly purl?: string
  readonly licenses?: readonly { readonly license?: { id?: string; name?: string }; expression?: string }[]
  readonly [more: string]: unknown
}

export interface Sbom {
  readonly serialNumber?: string
  readonly metadata: { readonly timestamp?: string; readonly [more: string]: unknown }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
  readonly [more: string]: unknown
}
