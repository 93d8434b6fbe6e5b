/**
 * Who is next: a line for each caller, and turns between the lines.
 *
 * Dashboard roles come first. Users and guests take turns as classes, so that any number of guests, which cost a
 * stranger nothing, takes no more than half from the users. Within a class the callers take turns (round robin).
 *
 * All lines together have a weight that may not be passed. Then the newest entry of the heaviest line of the lowest
 * class is dropped, which is often the newcomer itself. So a flood costs those who make it, and a dashboard role never
 * loses a place to a guest or a user.
 */
import type { CallerClass } from '../../models/caller.ts'
import { CALLER_CLASSES } from '../../models/caller.ts'

export interface Waiting {
  readonly caller: string
  readonly class: CallerClass
  /** Its part of the weight that all entries together may have. */
  readonly weight: number
}

export interface FairQueue<Entry extends Waiting> {
  /** Whether the line of a caller has as many entries as it may have. */
  isFull(caller: Pick<Waiting, 'caller' | 'class'>): boolean
  /** Puts an entry at the end of its caller's line, and gives what was dropped for it: others, or the entry itself. */
  add(entry: Entry): readonly Entry[]
  /** Takes the entry whose turn it is among those that may go now. All entries of one line are asked as one. */
  take(mayGo: (entry: Entry) => boolean): Entry | undefined
  /** Puts the line of a caller that was just served behind the lines of its class. */
  yieldTurn(caller: Pick<Waiting, 'caller' | 'class'>): void
  /** Takes an entry out that waits no longer. */
  remove(entry: Entry): void
  /** Takes all out. */
  clear(): readonly Entry[]
  counts(): Readonly<Record<CallerClass, number>>
}

export interface QueueLimits {
  readonly lineMax: number
  readonly weightMax: number
}

/** Of the entries of one caller, oldest first. */
interface Line<Entry> {
  readonly entries: Entry[]
  weight: number
}

export function createFairQueue<Entry extends Waiting>({ lineMax, weightMax }: QueueLimits): FairQueue<Entry> {
  // The lines of a class stand in the order of their turns.
  const lines: Readonly<Record<CallerClass, Map<string, Line<Entry>>>> = {
    guest: new Map(),
    user: new Map(),
    dashboard: new Map(),
  }
  let weight = 0
  let turn: 'guest' | 'user' = 'user'

  const removeAt = (entry: Entry, at: number): void => {
    const line = lines[entry.class].get(entry.caller)
    if (line === undefined || at < 0) return
    line.entries.splice(at, 1)
    line.weight -= entry.weight
    weight -= entry.weight
    if (line.entries.length === 0) lines[entry.class].delete(entry.caller)
  }
  const heaviest = (): Entry | undefined => {
    const lowest = CALLER_CLASSES.find((name) => lines[name].size > 0)
    if (lowest === undefined) return undefined
    let found: Line<Entry> | undefined
    // Of lines that weigh the same, the newest: it has waited least.
    for (const line of lines[lowest].values()) if (found === undefined || line.weight >= found.weight) found = line
    return found?.entries.at(-1)
  }
  const yieldTurn = (name: CallerClass, caller: string): void => {
    const line = lines[name].get(caller)
    if (line !== undefined && lines[name].delete(caller)) lines[name].set(caller, line)
  }
  const takeFrom = (name: CallerClass, mayGo: (entry: Entry) => boolean): Entry | undefined => {
    for (const [caller, line] of lines[name]) {
      const [first] = line.entries
      if (first === undefined || !mayGo(first)) continue
      removeAt(first, 0)
      yieldTurn(name, caller)
      return first
    }
    return undefined
  }
  return {
    isFull: ({ caller, class: name }) => (lines[name].get(caller)?.entries.length ?? 0) >= lineMax,
    add(entry) {
      const line = lines[entry.class].get(entry.caller) ?? { entries: [], weight: 0 }
      line.entries.push(entry)
      line.weight += entry.weight
      weight += entry.weight
      lines[entry.class].set(entry.caller, line)
      const dropped: Entry[] = []
      while (weight > weightMax) {
        const loser = heaviest()
        if (loser === undefined) break
        removeAt(loser, lines[loser.class].get(loser.caller)?.entries.lastIndexOf(loser) ?? -1)
        dropped.push(loser)
      }
      return dropped
    },
    take(mayGo) {
      const other = turn === 'user' ? 'guest' : 'user'
      for (const name of ['dashboard', turn, other] as const) {
        const entry = takeFrom(name, mayGo)
        if (entry === undefined) continue
        if (name !== 'dashboard') turn = name === 'user' ? 'guest' : 'user'
        return entry
      }
      return undefined
    },
    yieldTurn: ({ caller, class: name }) => yieldTurn(name, caller),
    remove(entry) {
      removeAt(entry, lines[entry.class].get(entry.caller)?.entries.indexOf(entry) ?? -1)
    },
    clear() {
      const all = CALLER_CLASSES.flatMap((name) => [...lines[name].values()].flatMap(({ entries }) => entries))
      for (const name of CALLER_CLASSES) lines[name].clear()
      weight = 0
      return all
    },
    counts() {
      const count = (name: CallerClass): number =>
        [...lines[name].values()].reduce((sum, { entries }) => sum + entries.length, 0)
      return { guest: count('guest'), user: count('user'), dashboard: count('dashboard') }
    },
  }
}
