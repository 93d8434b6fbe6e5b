/**
 * Numbers about the service in the text format of Prometheus
 * (https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4).
 *
 * Counters and histograms are kept here; gauges are read for each report. Label values come from tables of the program
 * (routes, statuses, states), never from a request, so the number of series is bounded; past the bound, values are
 * counted as `other`.
 */

const SERIES_MAX = 2_000

/** Label names with their values, in the order in which they are written. */
export type Labels = Readonly<Record<string, string>>

export type Reading = readonly [labels: Labels, value: number]

type Read = () => readonly Reading[] | Promise<readonly Reading[]>

export type Metrics = ReturnType<typeof createMetrics>

type Kind = 'counter' | 'gauge' | 'histogram'

interface Family {
  readonly name: string
  readonly help: string
  readonly kind: Kind
  lines(): readonly string[] | Promise<readonly string[]>
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function createMetrics() {
  const families: Family[] = []
  const add = (family: Family): void => {
    if (!/^[a-z][a-z0-9_]*$/.test(family.name) || families.some(({ name }) => name === family.name)) {
      throw new Error(`Cannot add metric "${family.name}": expected a new name of small letters, digits and "_"`)
    }
    families.push(family)
  }
  const addRead = (kind: Kind) => {
    return (name: string, help: string, read: Read): void => {
      const lines = async (): Promise<string[]> =>
        (await read()).map(([labels, value]) => sample(name, labelText(labels), value))
      add({ name, help, kind, lines })
    }
  }
  return {
    /** Makes a counter, and returns the function that counts. Names end in `_total`. */
    counter(name: string, help: string): (labels: Labels, by?: number) => void {
      const series = createSeries(() => ({ value: 0 }))
      add({
        name,
        help,
        kind: 'counter',
        lines: () => series.all().map(([labels, { value }]) => sample(name, labels, value)),
      })
      return (labels, by = 1) => {
        series.at(labels).value += by
      }
    },
    /** Makes a histogram with these upper bounds, and returns the function that adds a value to it. */
    histogram(name: string, help: string, bounds: readonly number[]): (labels: Labels, value: number) => void {
      const series = createSeries(() => ({ counts: new Float64Array(bounds.length + 1), sum: 0 }))
      const lines = (): string[] =>
        series.all().flatMap(([labels, { counts, sum }]) => {
          let total = 0
          const buckets = [...bounds.map(String), '+Inf'].map((bound, i) => {
            total += counts[i] ?? 0
            return sample(`${name}_bucket`, joined(labels, `le="${bound}"`), total)
          })
          return [...buckets, sample(`${name}_sum`, labels, sum), sample(`${name}_count`, labels, total)]
        })
      add({ name, help, kind: 'histogram', lines })
      return (labels, value) => {
        const entry = series.at(labels)
        let i = 0
        while (i < bounds.length && value > (bounds[i] as number)) i++
        entry.counts[i] = (entry.counts[i] as number) + 1
        entry.sum += value
      }
    },
    /** Values that are read for each report. A gauge that fails to be read is left out of it. */
    gauge: addRead('gauge'),
    /** The same for a number that only grows, and that is counted elsewhere. */
    counted: addRead('counter'),
    async report(): Promise<string> {
      const parts = await Promise.all(
        families.map(async ({ name, help, kind, lines }) => {
          try {
            return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...(await lines())]
          } catch {
            return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`]
          }
        }),
      )
      return `${parts.flat().join('\n')}\n`
    },
  }
}

function createSeries<T>(empty: () => T) {
  const known = new Map<string, T>()
  /** Labels that a caller keeps are written as text once. */
  const byLabels = new WeakMap<Labels, T>()
  const find = (labels: Labels): T => {
    let text = labelText(labels)
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= SERIES_MAX) {
      text = labelText(Object.fromEntries(Object.keys(labels).map((name) => [name, 'other'])))
    }
    const value = known.get(text) ?? empty()
    known.set(text, value)
    return value
  }
  return {
    at(labels: Labels): T {
      let value = byLabels.get(labels)
      if (value === undefined) byLabels.set(labels, (value = find(labels)))
      return value
    },
    all: (): readonly (readonly [labels: string, value: T])[] => [...known].sort(([a], [b]) => (a < b ? -1 : 1)),
  }
}

function labelText(labels: Labels): string {
  let text = ''
  for (const name in labels) text = joined(text, `${name}="${escaped(labels[name] ?? '')}"`)
  return text
}

function joined(labels: string, label: string): string {
  return labels === '' ? label : `${labels},${label}`
}

function escaped(value: string): string {
  return /["\\\n]/.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n') : value
}

function sample(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${value}` : `${name}{${labels}} ${value}`
}
