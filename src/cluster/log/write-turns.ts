/**
 * Fairness between nodes that write at the same time. Without it, the node that is nearest to etcd's leader wins nearly
 * every race, as the others first have to learn what it wrote, and each lost race costs the work of a repetition.
 *
 * A node that has to wait leaves a want: a key, whose revision is its place in the queue. Its next entry takes the key
 * away. A node without a want stands behind all that wait, so nodes that write all the time take turns and seldom race.
 * The first one has 200 ms: wants are advice, and a node that is slow or gone holds up no other for longer.
 */
const TURN_MS = 200
const WANTS_MAX = 100

export interface TurnParts {
  /** Identifies this node. */
  readonly node: string
  /** Leaves the want of this node. Resolves with the revision, and may reject. */
  readonly announce: () => Promise<number>
  /** Takes the want of this node back. May reject. */
  readonly withdraw: () => Promise<unknown>
}

export function createWriteTurns({ node, announce, withdraw }: TurnParts) {
  /** Since which revision the other nodes wait. The timer runs from when this node waits for that one, and ends its chance. */
  const wants = new Map<string, { readonly since: number; timer?: NodeJS.Timeout }>()
  /** Since when this node waits; undefined where it has no want. */
  let own: number | undefined
  let written = 0
  let isAnnouncing = false
  let changed: Promise<unknown> = Promise.resolve()
  let wake = (): void => {}

  const forget = (other: string): void => {
    clearTimeout(wants.get(other)?.timer)
    wants.delete(other)
  }
  const first = (): string | undefined => {
    let found: string | undefined
    let oldest = own ?? Infinity
    for (const [other, { since }] of wants) {
      if (since < oldest) [found, oldest] = [other, since]
    }
    return found
  }
  /** One change after another: the last one counts. What fails is only advice. */
  const change = (work: () => Promise<unknown>): void => {
    changed = changed.then(work).catch(() => {})
  }
  const queueUp = (): void => {
    if (own !== undefined || isAnnouncing) return
    isAnnouncing = true
    change(async () => {
      try {
        own ??= await announce()
      } finally {
        isAnnouncing = false
      }
    })
  }
  return {
    /** This node has written the entry at a position, which took its want away. */
    won(position: number): void {
      own = undefined
      written = position
    },
    /** Another entry came first; this node has left its want at a revision, unless it had one. */
    lost(revision: number): void {
      own ??= revision
    },
    /** It is not known whether this node has written an entry. */
    unsure(): void {
      own = undefined
    },
    /** A node has waited since a revision. */
    wanted(other: string, since: number): void {
      if (other === node) {
        if (since > written) own = since
      } else if (wants.get(other)?.since !== since && (wants.has(other) || wants.size < WANTS_MAX)) {
        forget(other)
        wants.set(other, { since })
      }
    },
    /** From a revision on, a node does not wait any longer. */
    served(other: string, revision: number): void {
      if (other !== node) forget(other)
      else if (own !== undefined && own < revision) own = undefined
      wake()
    },
    /** An entry has come: what this node would write next is out of date until it is applied. */
    entryCame(): void {
      wake()
    },
    /** Resolves when no other node is first, an entry has come, or the time is over. This node queues up meanwhile. */
    async turn(): Promise<void> {
      const other = first()
      const want = wants.get(other ?? '')
      if (other === undefined || want === undefined) return
      queueUp()
      await new Promise<void>((resolve) => {
        wake = resolve
        want.timer ??= setTimeout(() => {
          // It had its chance: no other append waits for this want.
          forget(other)
          wake()
        }, TURN_MS)
      })
    },
    /** This node has nothing to write: others need not wait for it. */
    pass(): void {
      if (own === undefined && !isAnnouncing) return
      change(async () => {
        if (own === undefined) return
        own = undefined
        await withdraw()
      })
    },
    /** Resolves when the want of this node is what it said last. A later entry takes it away, an earlier one would not. */
    settled: (): Promise<unknown> => changed,
    close(): void {
      for (const other of [...wants.keys()]) forget(other)
      wake()
    },
  }
}
