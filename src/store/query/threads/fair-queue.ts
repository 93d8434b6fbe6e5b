/**
 * A queue that is fair to callers: one line per caller, and turns between the lines.
 *
 * Dashboard roles come first. Users and guests alternate as classes, so that guests, which cost an attacker nothing, never
 * take more than half from the users, however many there are. Within a class the lines take turns (round robin).
 *
 * The entries together have a maximum weight. Above it, the newest entry of the heaviest line of the lowest class is
 * dropped, which is often the new entry itself. So a flood costs those who make it, and a dashboard role never loses its
 * position to a guest or a user.
 */
import { CALLER_CLASSES, type CallerClass } from '../../../models/caller.ts'

export interface Waiting {
  readonly caller: string
  readonly class: CallerClass
  /** Its part of the maximum weight of all entries. */
  readonly weight: number
}

export type FairQueue<Entry extends Waiting> = ReturnType<typeof createFairQueue<Entry>>

export function createFairQueue<Entry extends Waiting>({ lineMax, weightMax }: { lineMax: number; weightMax: number }) {
  const classes: Readonly<Record<CallerClass, ClassLines<Entry>>> = {
    guest: createClassLines(),
    user: createClassLines(),
    dashboard: createClassLines(),
  }
  let turn: 'guest' | 'user' = 'user'
  const all = CALLER_CLASSES.map((name) => classes[name])
  const weight = (): number => all.reduce((sum, lines) => sum + lines.weight(), 0)
  return {
    /** Whether a caller's line has the maximum number of entries. */
    isFull: ({ caller, class: name }: Pick<Waiting, 'caller' | 'class'>): boolean =>
      classes[name].lengthOf(caller) >= lineMax,
    /** Appends an entry to its caller's line. Returns what was dropped for it: others, or the entry itself. */
    add(entry: Entry): readonly Entry[] {
      classes[entry.class].add(entry)
      const dropped: Entry[] = []
      while (weight() > weightMax) {
        // CALLER_CLASSES begins with the lowest.
        const loser = all.find((lines) => lines.length() > 0)?.dropHeaviest()
        if (loser === undefined) break
        dropped.push(loser)
      }
      return dropped
    },
    /** Removes and returns the entry whose turn it is among those that may go now. A line is asked by its first entry. */
    take(mayGo: (entry: Entry) => boolean): Entry | undefined {
      for (const name of ['dashboard', turn, turn === 'user' ? 'guest' : 'user'] as const) {
        const entry = classes[name].take(mayGo)
        if (entry === undefined) continue
        if (name !== 'dashboard') turn = name === 'user' ? 'guest' : 'user'
        return entry
      }
      return undefined
    },
    /** Moves the line of a caller that was just served behind the other lines of its class. */
    yieldTurn: ({ caller, class: name }: Pick<Waiting, 'caller' | 'class'>): void => classes[name].yieldTurn(caller),
    /** Removes an entry that no longer waits. */
    remove: (entry: Entry): void => classes[entry.class].remove(entry),
    /** Removes and returns all entries. */
    clear: (): readonly Entry[] => all.flatMap((lines) => lines.clear()),
    counts(): Readonly<Record<CallerClass, number>> {
      const { guest, user, dashboard } = classes
      return { guest: guest.length(), user: user.length(), dashboard: dashboard.length() }
    },
  }
}

type ClassLines<Entry extends Waiting> = ReturnType<typeof createClassLines<Entry>>

/** The lines of the callers of one class, in the order of their turns. Entries of a line are oldest first. */
function createClassLines<Entry extends Waiting>() {
  const lines = new Map<string, { readonly entries: Entry[]; weight: number }>()
  let [length, weight] = [0, 0]
  const removeAt = (caller: string, at: number): Entry | undefined => {
    const line = lines.get(caller)
    const [entry] = at < 0 ? [] : (line?.entries.splice(at, 1) ?? [])
    if (line === undefined || entry === undefined) return undefined
    line.weight -= entry.weight
    weight -= entry.weight
    length--
    if (line.entries.length === 0) lines.delete(caller)
    return entry
  }
  const yieldTurn = (caller: string): void => {
    const line = lines.get(caller)
    if (line !== undefined && lines.delete(caller)) lines.set(caller, line)
  }
  return {
    length: () => length,
    weight: () => weight,
    lengthOf: (caller: string) => lines.get(caller)?.entries.length ?? 0,
    yieldTurn,
    add(entry: Entry): void {
      const line = lines.get(entry.caller) ?? { entries: [], weight: 0 }
      line.entries.push(entry)
      line.weight += entry.weight
      lines.set(entry.caller, line)
      weight += entry.weight
      length++
    },
    remove(entry: Entry): void {
      removeAt(entry.caller, lines.get(entry.caller)?.entries.indexOf(entry) ?? -1)
    },
    take(mayGo: (entry: Entry) => boolean): Entry | undefined {
      for (const [caller, { entries }] of lines) {
        if (entries[0] === undefined || !mayGo(entries[0])) continue
        const first = removeAt(caller, 0)
        yieldTurn(caller)
        return first
      }
      return undefined
    },
    /** Drops the newest entry of the heaviest line; of lines with the same weight, of the newest, which waited least. */
    dropHeaviest(): Entry | undefined {
      const [caller, line] = [...lines].reduce((found, one) => (one[1].weight >= found[1].weight ? one : found))
      return removeAt(caller, line.entries.length - 1)
    },
    clear(): readonly Entry[] {
      const entries = [...lines.values()].flatMap((line) => line.entries)
      lines.clear()
      ;[length, weight] = [0, 0]
      return entries
    },
  }
}
