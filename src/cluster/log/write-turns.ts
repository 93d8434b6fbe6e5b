/**
 * Fairness between nodes that write at the same time. Without it, the node that is nearest to etcd's leader wins nearly
 * every race, as the others first have to learn what it wrote.
 *
 * A node whose append is lost leaves a want: a key with the revision since when it waits. A node that has written since
 * then lets it write first, for 200 ms at most: wants are advice, and a node that is slow or gone holds up no other.
 */
const TURN_MS = 200
const WANTS_MAX = 100

export function createWriteTurns(node: string) {
  /** The revision since when each other node waits. */
  const wants = new Map<string, number>()
  /** Where this node stands in the queue: at its want, or behind its last entry. Undefined: it has not written yet. */
  let standing: number | undefined
  let wake = (): void => {}

  const first = (): string | undefined => {
    let found: string | undefined
    for (const [other, since] of wants) {
      if (since < (standing ?? 0) && since < (wants.get(found ?? '') ?? Infinity)) found = other
    }
    return found
  }
  return {
    /** This node has written the entry at a position. */
    won(position: number): void {
      standing = position
    },
    /** A node has waited since a revision. */
    wanted(other: string, since: number): void {
      if (other === node) standing = since
      else if (wants.size < WANTS_MAX) wants.set(other, since)
    },
    /** A node does not wait any longer. */
    served(other: string): void {
      wants.delete(other)
    },
    /** An entry has come: what this node would write next is out of date until it is applied. */
    entryCame(): void {
      wake()
    },
    /** Resolves when no other node is first, an entry has come, or the time is over. */
    async turn(): Promise<void> {
      const other = first()
      if (other === undefined) return
      let timer: NodeJS.Timeout | undefined
      await new Promise<void>((resolve) => {
        wake = resolve
        timer = setTimeout(() => {
          // It had its chance: no other append waits for this want.
          wants.delete(other)
          resolve()
        }, TURN_MS)
      })
      clearTimeout(timer)
    },
  }
}
