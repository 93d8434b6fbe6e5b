/**
 * A queue that is fair to callers: one line per caller, and turns between the lines.
 *
 * Dashboard roles come first. Users and guests alternate as classes, so that guests, which cost an attacker nothing, never
 * take more than half from the users, however many there are. Within a class the groups take turns (round robin), and within
 * a group its lines: a client address has one group, however many guests it makes.
 *
 * The entries together have a maximum weight. Above it, the newest entry of the heaviest line of the heaviest group of the
 * lowest class is dropped, which is often the new entry itself. So a flood costs those who make it, and a dashboard role
 * never loses its position to a guest or a user.
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
  const classes: Readonly<Record<CallerClass, Turns<Entry>>> = { guest: createClass(), user: createClass(), dashboard: createClass() }
  let turn: 'guest' | 'user' = 'user'
  const all = CALLER_CLASSES.map((name) => classes[name])
  const weight = (): number => all.reduce((sum, turns) => sum + turns.weight(), 0)
  return {
    /** Whether a caller's line has the maximum number of entries. */
    isFull: (key: CallerKey): boolean => classes[key.class].lengthOf(key) >= lineMax,
    /** Appends an entry to its caller's line. Returns what was dropped for it: others, or the entry itself. */
    add(entry: Entry): readonly Entry[] {
      classes[entry.class].add(entry)
      const dropped: Entry[] = []
      while (weight() > weightMax) {
        // CALLER_CLASSES begins with the lowest.
        const loser = all.find((turns) => turns.length() > 0)?.dropHeaviest()
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
    remove: (entry: Entry): void => void classes[entry.class].remove(entry),
    /** Removes and returns all entries. */
    clear: (): readonly Entry[] => all.flatMap((turns) => turns.clear()),
    counts(): Readonly<Record<CallerClass, number>> {
      const { guest, user, dashboard } = classes
      return { guest: guest.length(), user: user.length(), dashboard: dashboard.length() }
    },
  }
}

/** Entries in the order of their turns. */
interface Turns<Entry extends Waiting> {
  length(): number
  weight(): number
  /** How many entries of a caller wait. */
  lengthOf(key: CallerKey): number
  yieldTurn(key: CallerKey): void
  add(entry: Entry): void
  /** Removes an entry and returns it; undefined where it is not there. So do the next two. */
  remove(entry: Entry): Entry | undefined
  /** The first entry that may go. */
  take(mayGo: (entry: Entry) => boolean): Entry | undefined
  /** The newest entry of the heaviest part; of parts with the same weight, of the newest, which waited least. */
  dropHeaviest(): Entry | undefined
  clear(): readonly Entry[]
}

function createClass<Entry extends Waiting>(): Turns<Entry> {
  return createRound(({ caller, group = caller }) => group, () => createRound(({ caller }) => caller, createLine<Entry>))
}

/** Parts that take turns, such as the lines of a group. An entry belongs to the part with its name. */
function createRound<Entry extends Waiting>(nameOf: (key: CallerKey) => string, createPart: () => Turns<Entry>): Turns<Entry> {
  // A Map iterates in the order of insertion.
  const parts = new Map<string, Turns<Entry>>()
  let [length, weight] = [0, 0]
  const moveBack = (name: string): void => {
    const part = parts.get(name)
    if (part !== undefined && parts.delete(name)) parts.set(name, part)
  }
  const removed = (entry: Entry | undefined): Entry | undefined => {
    if (entry === undefined) return undefined
    length--
    weight -= entry.weight
    if (parts.get(nameOf(entry))?.length() === 0) parts.delete(nameOf(entry))
    return entry
  }
  return {
    length: () => length,
    weight: () => weight,
    lengthOf: (key) => parts.get(nameOf(key))?.lengthOf(key) ?? 0,
    yieldTurn(key) {
      parts.get(nameOf(key))?.yieldTurn(key)
      moveBack(nameOf(key))
    },
    add(entry) {
      const part = parts.get(nameOf(entry)) ?? createPart()
      part.add(entry)
      parts.set(nameOf(entry), part)
      length++
      weight += entry.weight
    },
    remove: (entry) => removed(parts.get(nameOf(entry))?.remove(entry)),
    take(mayGo) {
      for (const [name, part] of parts) {
        const entry = part.take(mayGo)
        if (entry === undefined) continue
        moveBack(name)
        return removed(entry)
      }
      return undefined
    },
    dropHeaviest: () => removed([...parts.values()].reduce((found, one) => (one.weight() >= found.weight() ? one : found)).dropHeaviest()),
    clear() {
      const entries = [...parts.values()].flatMap((part) => part.clear())
      parts.clear()
      ;[length, weight] = [0, 0]
      return entries
    },
  }
}

/** The entries of one caller, oldest first. */
function createLine<Entry extends Waiting>(): Turns<Entry> {
  const entries: Entry[] = []
  return {
    length: () => entries.length,
    weight: () => entries.reduce((sum, entry) => sum + entry.weight, 0),
    lengthOf: () => entries.length,
    yieldTurn() {},
    add: (entry) => void entries.push(entry),
    remove(entry) {
      const at = entries.indexOf(entry)
      return at < 0 ? undefined : entries.splice(at, 1)[0]
    },
    take: (mayGo) => (entries[0] !== undefined && mayGo(entries[0]) ? entries.shift() : undefined),
    dropHeaviest: () => entries.pop(),
    clear: () => entries.splice(0),
  }
}
