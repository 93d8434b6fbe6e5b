/** The lines that a benchmark of requests prints. */
import type { Summary } from './load-rounds.ts'

const NAME_CHARS = 16
/** From here on a process counts as busy: its core has nothing left. */
const BUSY = 0.95

interface Column {
  readonly title: string
  readonly width: number
  readonly text: (ours: Summary) => string
}

const COLUMNS: readonly Column[] = [
  { title: 'requests/s', width: 10, text: ({ perSecond }) => perSecond.toFixed(0) },
  { title: 'spread', width: 8, text: ({ spread }) => percent(spread) },
  { title: 'p50 ms', width: 9, text: ({ p50Ms }) => p50Ms.toFixed(2) },
  { title: 'p99 ms', width: 9, text: ({ p99Ms }) => p99Ms.toFixed(2) },
  { title: 'CPU µs', width: 9, text: ({ cpuMicros }) => cpuMicros.toFixed(1) },
  { title: 'server', width: 8, text: ({ serverBusy }) => percent(serverBusy) },
  { title: 'load', width: 7, text: ({ loadBusy }) => percent(loadBusy) },
]

/** Names the servers that the ratios compare with. */
export function headOf(others: readonly string[]): string {
  const titles = COLUMNS.map(({ title, width }) => title.padStart(width))
  return ' '.repeat(NAME_CHARS) + [...titles, ...others.map((name) => name.padStart(ratioWidth(name)))].join('')
}

/** `others` are in the order of their names; the ratio to one that is undefined is a dash. */
export function lineOf(name: string, ours: Summary, others: ReadonlyMap<string, Summary | undefined>): string {
  const cells = COLUMNS.map(({ width, text }) => text(ours).padStart(width))
  const ratios = [...others].map(([title, other]) => ratioOf(ours, other).padStart(ratioWidth(title)))
  return name.padEnd(NAME_CHARS) + [...cells, ...ratios].join('')
}

export const skippedLine = (name: string, why: string): string => `${name.padEnd(NAME_CHARS)}skipped: ${why}`

const percent = (share: number): string => `${Math.round(share * 100)} %`
const ratioWidth = (title: string): number => title.length + 2

/**
 * Of the rates. Where the load generator was busy and a server was not, a rate says nothing about that server, and the
 * ratio is that of the CPU times, marked with *.
 */
function ratioOf(ours: Summary, other: Summary | undefined): string {
  if (other === undefined) return '-'
  const isHeldBack = [ours, other].some(({ serverBusy, loadBusy }) => serverBusy < BUSY && loadBusy > BUSY)
  if (isHeldBack) return `${(other.cpuMicros / ours.cpuMicros).toFixed(2)}*`
  return (ours.perSecond / other.perSecond).toFixed(2)
}
