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

/** The name of a number with its labels, as it is written, and the number. */
type Sample = readonly [name: string, value: number]

interface Family {
  readonly name: string
  readonly help: string
  readonly kind: Kind
  samples(): readonly Sample[] | Promise<readonly Sample[]>
}

/** The numbers of another thread, by the names of their families. */
export type ThreadSamples = ReadonlyMap<string, { readonly kind: Kind; readonly samples: readonly Sample[] }>

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export function createMetrics() {
  const families: Family[] = []
  let readThreads = (): Promise<readonly ThreadSamples[]> => Promise.resolve([])
  const add = (family: Family): void => {
    if (!/^[a-z][a-z0-9_]*$/.test(family.name) || families.some(({ name }) => name === family.name)) {
      throw new Error(`Cannot add metric "${family.name}": expected a new name of small letters, digits and "_"`)
    }
    families.push(family)
  }
  const addRead = (kind: Kind) => {
    return (name: string, help: string, read: Read): void => {
      const samples = async (): Promise<Sample[]> =>
        (await read()).map(([labels, value]) => sample(name, labelText(labels), value))
      add({ name, help, kind, samples })
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
        samples: () => series.all().map(([labels, { value }]) => sample(name, labels, value)),
      })
      return (labels, by = 1) => {
        series.at(labels).value += by
      }
    },
    /** Makes a histogram with these upper bounds, and returns the function that adds a value to it. */
    histogram(name: string, help: string, bounds: readonly number[]): (labels: Labels, value: number) => void {
      const series = createSeries(() => ({ counts: new Float64Array(bounds.length + 1), sum: 0 }))
      const samples = (): Sample[] =>
        series.all().flatMap(([labels, { counts, sum }]) => {
          let total = 0
          const buckets = [...bounds.map(String), '+Inf'].map((bound, i) => {
            total += counts[i] ?? 0
            return sample(`${name}_bucket`, joined(labels, `le="${bound}"`), total)
          })
          return [...buckets, sample(`${name}_sum`, labels, sum), sample(`${name}_count`, labels, total)]
        })
      add({ name, help, kind: 'histogram', samples })
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
    /** Adds the numbers of other threads to those of the same name in each report. */
    addThreads(read: () => Promise<readonly ThreadSamples[]>): void {
      readThreads = read
    },
    /** The numbers of this thread. A gauge that fails to be read is left out. */
    samples: async (): Promise<ThreadSamples> =>
      new Map(await Promise.all(families.map(async (family) => [family.name, await samplesOf(family)] as const))),
    async report(): Promise<string> {
      const others = await readThreads()
      const parts = await Promise.all(
        families.map(async (family) => {
          const { name, help, kind } = family
          const { samples } = await samplesOf(family)
          const sums = others.length === 0 ? samples : together([samples, ...others.map((one) => one.get(name)?.samples ?? [])])
          return [`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, ...sums.map(([text, value]) => `${text} ${value}`)]
        }),
      )
      return `${parts.flat().join('\n')}\n`
    },
  }
}

async function samplesOf({ kind, samples }: Family): Promise<{ readonly kind: Kind; readonly samples: readonly Sample[] }> {
  try {
    return { kind, samples: await samples() }
  } catch {
    return { kind, samples: [] }
  }
}

/** Counters of threads that have ended, and of one more: what they have counted still counts. */
export function addCounters(before: ThreadSamples, more: ThreadSamples): ThreadSamples {
  const sums = new Map(before)
  for (const [name, { kind, samples }] of more) {
    if (kind !== 'gauge') sums.set(name, { kind, samples: together([before.get(name)?.samples ?? [], samples]) })
  }
  return sums
}

/** The sums of samples of one name. */
function together(lists: readonly (readonly Sample[])[]): readonly Sample[] {
  const sums = new Map<string, number>()
  for (const [name, value] of lists.flat()) sums.set(name, (sums.get(name) ?? 0) + value)
  return [...sums]
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

function sample(name: string, labels: string, value: number): Sample {
  return [labels === '' ? name : `${name}{${labels}}`, value]
}
