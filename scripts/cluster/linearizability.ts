/**
 * Whether the operations of one register are linearizable: each takes effect at one moment between its start and its
 * end, and all of them together read as if they had come one after the other.
 *
 * The algorithm is that of Wing and Gong, "Testing and verifying concurrent objects" (1993), with the memory of visited
 * configurations of Lowe, "Testing for linearizability" (2017): take any operation that no unfinished one precedes, apply
 * it, and go back where none fits. Registers here have unique values, which bounds the search:
 *
 * - a step that changes nothing is applied as soon as it fits, since applying it later allows nothing more;
 * - an unknown write whose value was observed took effect before its first observer ended, and is an ordinary write;
 * - an unknown write whose value nothing observed can only explain a later mismatch, and is applied right before one.
 */

/** What happened at one register. Requests that were refused without a look at the register are not among these. */
export interface RegisterStep {
  /** `mismatch`: a conditional write that found another value than `expected`. */
  readonly kind: 'read' | 'write' | 'mismatch'
  readonly start: number
  /** Infinity for a write whose outcome is unknown: it may take effect at any later time, or never. */
  readonly end: number
  /** What a read found or a write leaves. Each write has a value of its own; the register begins with ''. */
  readonly value: string
  /** The value that a write or a mismatch was conditional on. */
  readonly expected?: string | undefined
  /** Steps that take effect before this one, whatever their times. */
  readonly after?: readonly RegisterStep[]
}

/** A history that needs more configurations than this is undecided, which is a fault. */
const CONFIGURATIONS_MAX = 1_000_000
const SHOWN_STEPS = 6

interface Entry {
  readonly step: RegisterStep
  readonly end: number
  readonly index: number
  after: readonly Entry[]
  isDone: boolean
}

/** Returns undefined where the steps are linearizable, and otherwise a text with the steps that fit nowhere. */
export function faultOfRegister(steps: readonly RegisterStep[]): string | undefined {
  const search = createSearch(steps)
  for (let configurations = 0; configurations < CONFIGURATIONS_MAX; configurations++) {
    search.applyChecks()
    if (search.isComplete()) return undefined
    if (!search.advance()) return search.explain()
  }
  return `undecided after ${CONFIGURATIONS_MAX} configurations`
}

/** By which time the write of each value had taken effect, where something observed it. */
function deadlinesOf(steps: readonly RegisterStep[]): ReadonlyMap<string, number> {
  const deadlines = new Map<string, number>()
  const observe = (value: string | undefined, end: number): boolean => {
    if (value === undefined || end >= (deadlines.get(value) ?? Infinity)) return false
    deadlines.set(value, end)
    return true
  }
  for (const { kind, value, expected, end } of steps) {
    if (kind === 'read') observe(value, end)
    if (kind === 'write') observe(expected, end)
  }
  // An unknown write that was observed has itself observed the value that it was conditional on.
  const unknown = steps.filter(({ kind, end }) => kind === 'write' && end === Infinity)
  while (unknown.filter(({ value, expected }) => observe(expected, deadlines.get(value) ?? Infinity)).length > 0);
  return deadlines
}

/** The steps that took effect, by their start, and the unknown writes that nothing observed. */
function sortOut(steps: readonly RegisterStep[]): { entries: readonly Entry[]; unobserved: readonly RegisterStep[] } {
  const deadlines = deadlinesOf(steps)
  const endOf = ({ kind, end, value }: RegisterStep): number =>
    kind === 'write' && end === Infinity ? (deadlines.get(value) ?? Infinity) : end
  const byStart = steps.toSorted((a, b) => a.start - b.start)
  const entries = byStart
    .filter((step) => endOf(step) < Infinity)
    .map((step, index): Entry => ({ step, end: endOf(step), index, after: [], isDone: false }))
  const entryOf = new Map(entries.map((entry) => [entry.step, entry]))
  for (const entry of entries) entry.after = (entry.step.after ?? []).flatMap((step) => entryOf.get(step) ?? [])
  return { entries, unobserved: byStart.filter((step) => endOf(step) === Infinity) }
}

/** A point of the search that can be gone back to, with the writes that were not tried there. */
interface Fork {
  readonly trailLength: number
  readonly state: string
  readonly used: ReadonlySet<RegisterStep>
  readonly options: Entry[]
}

function createSearch(steps: readonly RegisterStep[]) {
  const { entries, unobserved } = sortOut(steps)
  const trail: Entry[] = []
  const forks: Fork[] = []
  const visited = new Map<string, number>()
  let [state, frontier, used] = ['', 0, new Set<RegisterStep>() as ReadonlySet<RegisterStep>]
  let deepest = { length: -1, state: '', stuck: [] as readonly Entry[] }

  const apply = (entry: Entry): void => {
    entry.isDone = true
    trail.push(entry)
    if (entry.step.kind === 'write') state = entry.step.value
    while (entries[frontier]?.isDone === true) frontier++
  }
  const goBack = (fork: Fork): void => {
    for (const entry of trail.splice(fork.trailLength)) {
      entry.isDone = false
      frontier = Math.min(frontier, entry.index)
    }
    ;({ state, used } = fork)
  }
  /** What may take effect next: what begins before the first end of all that did not take effect yet. */
  const candidates = (): { readonly entries: readonly Entry[]; readonly until: number } => {
    const found: Entry[] = []
    let until = Infinity
    for (let i = frontier; i < entries.length; i++) {
      const entry = entries[i] as Entry
      if (entry.step.start > until) break
      if (entry.isDone) continue
      until = Math.min(until, entry.end)
      found.push(entry)
    }
    return { entries: found.filter((entry) => entry.step.start <= until), until }
  }
  const isReady = ({ after }: Entry): boolean => after.every(({ isDone }) => isDone)
  const holds = ({ step }: Entry): boolean =>
    step.kind === 'read' ? step.value === state : step.kind === 'mismatch' ? step.expected !== state : false
  const mayWrite = ({ step }: Entry): boolean =>
    step.kind === 'write' && (step.expected === undefined || step.expected === state)

  /** An unknown write that makes a mismatch true. A conditional one fits here only, so it is taken first. */
  const lostWrite = (found: readonly Entry[], until: number): RegisterStep | undefined => {
    if (!found.some(({ step }) => step.kind === 'mismatch' && step.expected === state)) return undefined
    const free = unobserved.filter((step) => step.start <= until && !used.has(step))
    return free.find(({ expected }) => expected === state) ?? free.find(({ expected }) => expected === undefined)
  }
  const named = new Set(steps.flatMap(({ kind, value, expected }) => [kind === 'read' ? value : undefined, expected]))
  /**
   * Whether this configuration is worth a search: it was not reached before, or only with more unknown writes used up.
   * Values that no other step names are alike.
   */
  const isNew = (): boolean => {
    let configuration = `${named.has(state) ? state : '\n'} ${frontier}`
    for (let [i, left] = [frontier, trail.length - frontier]; left > 0; i++) {
      if (entries[i]?.isDone !== true) continue
      configuration += `,${i}`
      left--
    }
    if (used.size >= (visited.get(configuration) ?? Infinity)) return false
    visited.set(configuration, used.size)
    return true
  }

  return {
    /** Applies all reads and mismatches that hold now. */
    applyChecks(): void {
      for (let isChanged = true; isChanged; ) {
        const ready = candidates().entries.filter((entry) => holds(entry) && isReady(entry))
        for (const entry of ready) apply(entry)
        isChanged = ready.length > 0
      }
    },
    isComplete: () => frontier === entries.length,
    /** Applies a write, or goes back to a fork. False where there is none left. */
    advance(): boolean {
      const { entries: found, until } = candidates()
      if (trail.length > deepest.length) deepest = { length: trail.length, state, stuck: found }
      const options = found.filter((entry) => mayWrite(entry) && isReady(entry))
      const lost = lostWrite(found, until)
      const isFork = options.length + (lost === undefined ? 0 : 1) > 1
      if (isFork && !isNew()) options.length = 0
      else if (lost !== undefined) {
        if (options.length > 0) forks.push({ trailLength: trail.length, state, used, options })
        used = new Set([...used, lost])
        state = lost.value
        return true
      }
      const next = options.shift()
      if (next !== undefined) {
        if (options.length > 0) forks.push({ trailLength: trail.length, state, used, options })
        apply(next)
        return true
      }
      const fork = forks.at(-1)
      if (fork === undefined) return false
      goBack(fork)
      apply(fork.options.shift() as Entry)
      if (fork.options.length === 0) forks.pop()
      return true
    },
    explain(): string {
      const stuck = deepest.stuck.slice(0, SHOWN_STEPS).map(({ step }) => describe(step))
      return `with the value ${JSON.stringify(deepest.state)} none of these fits: ${stuck.join('; ')}`
    },
  }
}

function describe({ kind, value, expected, start, end }: RegisterStep): string {
  const what = kind === 'read' ? `read ${value}` : kind === 'write' ? `write ${value}` : 'mismatch'
  const condition = expected === undefined ? '' : ` if ${expected}`
  return `${what}${condition} [${start.toFixed(1)}, ${end.toFixed(1)}]`
}
