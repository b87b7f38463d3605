/** Health checks. Each returns within its own short limit and never throws. */
export interface Probes {
  database(): Promise<boolean>
  redis(): Promise<boolean>
  close(): Promise<void>
}
