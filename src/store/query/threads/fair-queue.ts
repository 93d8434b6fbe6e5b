/**
 * A queue that is fair to callers: one line per caller, and turns between the lines.
 *
 * Dashboard roles come first. Users and guests alternate as classes, so that guests, which cost an attacker nothing, never
 * take more than half from the users, however many there are. Within a class the groups take turns (round robin), and within
 * a group its lines: a client address has one group, however many guests it makes.
 *
 * The entries together have a maximum weight. Above it, the newest entry of the heaviest line of the heaviest group of the
 * lowest class is dropped, which is often the new entry itself. So a flood costs those who make it, and a dashboard role never loses its
 * position to a guest or a user.
 */
import { CALLER_CLASSES, type CallerClass } from '../../../models/caller.ts'

export interface Waiting {
  readonly caller: string
  readonly class: CallerClass
  /** Callers of one group share its turns; without one, a caller has turns of its own. */
  readonly group?: string | undefined
  /** Its part of the maximum weight of all entries. */
  readonly weight: number
}

/** What a line is found by. */
export type CallerKey = Pick<Waiting, 'caller' | 'class' | 'group'>

export type FairQueue<Entry extends Waiting> = ReturnType<typeof createFairQueue<Entry>>

export function createFairQueue<Entry extends Waiting>({ lineMax, weightMax }: { lineMax: number; weightMax: number }) {
  const classes: Readonly<Record<CallerClass, ClassGroups<Entry>>> = {
    guest: createClassGroups(),
    user: createClassGroups(),
    dashboard: createClassGroups(),
  }
  let turn: 'guest' | 'user' = 'user'
  const all = CALLER_CLASSES.map((name) => classes[name])
  const weight = (): number => all.reduce((sum, groups) => sum + groups.weight(), 0)
  return {
    /** Whether a caller's line has the maximum number of entries. */
    isFull: (key: CallerKey): boolean => classes[key.class].lengthOf(key) >= lineMax,
    /** Appends an entry to its caller's line. Returns what was dropped for it: others, or the entry itself. */
    add(entry: Entry): readonly Entry[] {
      classes[entry.class].add(entry)
      const dropped: Entry[] = []
      while (weight() > weightMax) {
        // CALLER_CLASSES begins with the lowest.
        const loser = all.find((groups) => groups.length() > 0)?.dropHeaviest()
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
    /** Moves a caller that was just served behind the others of its group, and the group behind those of its class. */
    yieldTurn: (key: CallerKey): void => classes[key.class].yieldTurn(key),
    /** Removes an entry that no longer waits. */
    remove: (entry: Entry): void => classes[entry.class].remove(entry),
    /** Removes and returns all entries. */
    clear: (): readonly Entry[] => all.flatMap((groups) => groups.clear()),
    counts(): Readonly<Record<CallerClass, number>> {
      const { guest, user, dashboard } = classes
      return { guest: guest.length(), user: user.length(), dashboard: dashboard.length() }
    },
  }
}

type ClassGroups<Entry extends Waiting> = ReturnType<typeof createClassGroups<Entry>>
type Grouped = Pick<Waiting, 'caller' | 'group'>

/** The groups of one class, in the order of their turns. */
function createClassGroups<Entry extends Waiting>() {
  const groups = new Map<string, GroupLines<Entry>>()
  const nameOf = ({ caller, group = caller }: Grouped): string => group
  const sumOf = (of: (lines: GroupLines<Entry>) => number): number => [...groups.values()].reduce((sum, lines) => sum + of(lines), 0)
  const forgetEmpty = (name: string): void => {
    if (groups.get(name)?.length() === 0) groups.delete(name)
  }
  const yieldTurn = (name: string): void => moveBack(groups, name)
  return {
    length: () => sumOf((lines) => lines.length()),
    weight: () => sumOf((lines) => lines.weight()),
    lengthOf: (key: Grouped) => groups.get(nameOf(key))?.lengthOf(key.caller) ?? 0,
    yieldTurn(key: Grouped): void {
      groups.get(nameOf(key))?.yieldTurn(key.caller)
      yieldTurn(nameOf(key))
    },
    add(entry: Entry): void {
      const lines = groups.get(nameOf(entry)) ?? createGroupLines()
      lines.add(entry)
      groups.set(nameOf(entry), lines)
    },
    remove(entry: Entry): void {
      groups.get(nameOf(entry))?.remove(entry)
      forgetEmpty(nameOf(entry))
    },
    take(mayGo: (entry: Entry) => boolean): Entry | undefined {
      for (const [name, lines] of groups) {
        const entry = lines.take(mayGo)
        if (entry === undefined) continue
        yieldTurn(name)
        forgetEmpty(name)
        return entry
      }
      return undefined
    },
    /** Drops from the heaviest group; of groups with the same weight, from the newest. */
    dropHeaviest(): Entry | undefined {
      const [name, lines] = [...groups].reduce((found, one) => (one[1].weight() >= found[1].weight() ? one : found))
      const entry = lines.dropHeaviest()
      forgetEmpty(name)
      return entry
    },
    clear(): readonly Entry[] {
      const entries = [...groups.values()].flatMap((lines) => lines.clear())
      groups.clear()
      return entries
    },
  }
}

/** Makes an entry of a map the last one, where it is there: a Map iterates in the order of insertion. */
function moveBack<V>(map: Map<string, V>, key: string): void {
  const value = map.get(key)
  if (value !== undefined && map.delete(key)) map.set(key, value)
}

type GroupLines<Entry extends Waiting> = ReturnType<typeof createGroupLines<Entry>>

/** The lines of the callers of one group, in the order of their turns. Entries of a line are oldest first. */
function createGroupLines<Entry extends Waiting>() {
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
  const yieldTurn = (caller: string): void => moveBack(lines, caller)
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
