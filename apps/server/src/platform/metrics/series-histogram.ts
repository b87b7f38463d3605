interface HistogramConfig<Label extends string> {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly Label[]
  readonly buckets: readonly number[]
}
type Labels<Label extends string> = Readonly<Record<Label, string | number>>

/** One combination of labels. */
export class Series {
  readonly counts: number[]
  sum = 0
  count = 0
  readonly #bounds: readonly number[]

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = bounds.map(() => 0)
  }

  observe(value: number): void {
    this.sum += value
    this.count += 1
    const bounds = this.#bounds
    for (let at = 0; at < bounds.length; at += 1) {
      if (value <= (bounds[at] as number)) {
        this.counts[at] = (this.counts[at] as number) + 1
        return
      }
    }
  }
}

/**
 * A histogram that the registry exports like its own. Those of the library hash all labels with every observation, which
 * costs more than the rest of it; here a series is looked up once and kept.
 */
export class SeriesHistogram<Label extends string> {
  readonly name: string
  readonly help: string
  readonly type = 'histogram'
  readonly #labelNames: readonly Label[]
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, { readonly labels: Labels<Label>; readonly series: Series }>()

  constructor({ name, help, labelNames, buckets }: HistogramConfig<Label>) {
    this.name = name
    this.help = help
    this.#labelNames = labelNames
    this.#bounds = buckets
  }

  labels(labels: Labels<Label>): Series {
    const key = JSON.stringify(this.#labelNames.map((name) => labels[name]))
    const found = this.#series.get(key)
    if (found) return found.series
    const series = new Series(this.#bounds)
    this.#series.set(key, { labels, series })
    return series
  }

  /** What the registry asks for. */
  async get() {
    const values = [...this.#series.values()].flatMap(({ labels, series }) => this.#valuesOf(labels, series))
    return { name: this.name, help: this.help, type: this.type, values, aggregator: 'sum' }
  }

  #valuesOf(labels: Labels<Label>, { counts, sum, count }: Series) {
    let upTo = 0
    const bucket = (le: number | string, value: number) => ({
      metricName: `${this.name}_bucket`,
      labels: { le, ...labels },
      value,
    })
    return [
      ...this.#bounds.map((bound, at) => {
        upTo += counts[at] ?? 0
        return bucket(bound, upTo)
      }),
      bucket('+Inf', count),
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ]
  }
}
