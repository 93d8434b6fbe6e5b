/** The list from which the reader opened an editor: the way back to it, and its documents in their order. */

interface Trail {
  readonly model: string
  /** Of the list, as it was left. */
  readonly href: string
  ids: readonly string[]
  /** Where the list goes on; null where the last of the ids is the last of the list. */
  end: string | null
  /** Reads on from there. */
  readonly read: (cursor: string, signal: AbortSignal) => Promise<{ readonly ids: readonly string[]; readonly end: string | null }>
}

/** Of the list that was left last. */
let trail: Trail | undefined

export function leaveTrail(left: Trail): void {
  trail = left
}

/** Where the list of a model is, if it was the last one; undefined otherwise. */
export function trailHref(model: string): string | undefined {
  return trail?.model === model ? trail.href : undefined
}

/** The documents before and behind one in its list; undefined where there is none, or the list does not have the one. */
export async function neighbours(model: string, id: string, signal: AbortSignal): Promise<{ readonly previous: string | undefined; readonly next: string | undefined } | undefined> {
  const list = trail
  const at = list?.model === model ? list.ids.indexOf(id) : -1
  if (list === undefined || at === -1) return undefined
  if (at === list.ids.length - 1 && list.end !== null) {
    const more = await list.read(list.end, signal)
    // Another editor may have read on meanwhile.
    const known = new Set(list.ids)
    list.ids = [...list.ids, ...more.ids.filter((one) => !known.has(one))]
    list.end = more.end
  }
  return { previous: list.ids[at - 1], next: list.ids[at + 1] }
}
