/** Which rows are chosen, by their ids: one by one, a range by Shift, or all that are loaded. */

export type RowSelection = ReturnType<typeof createRowSelection>

export function createRowSelection(onChange: () => void) {
  let chosen = new Set<string>()
  let anchor: string | undefined
  return {
    get size() {
      return chosen.size
    },
    has: (id: string) => chosen.has(id),
    ids: (): readonly string[] => [...chosen],
    /** Turns one over. With `extend`, all between the last one that was turned and this one become as that is. */
    turn(id: string, order: readonly string[], extend: boolean): void {
      const [from, to] = [anchor === undefined ? -1 : order.indexOf(anchor), order.indexOf(id)]
      if (extend && anchor !== undefined && from !== -1 && to !== -1) {
        const isChosen = chosen.has(anchor)
        for (const one of order.slice(Math.min(from, to), Math.max(from, to) + 1)) {
          if (isChosen) chosen.add(one)
          else chosen.delete(one)
        }
      } else {
        if (!chosen.delete(id)) chosen.add(id)
        anchor = id
      }
      onChange()
    },
    /** Chooses exactly these. A range still begins at the last one that was turned, where it stays chosen. */
    set(ids: Iterable<string>): void {
      chosen = new Set(ids)
      if (anchor !== undefined && !chosen.has(anchor)) anchor = undefined
      onChange()
    },
  }
}
