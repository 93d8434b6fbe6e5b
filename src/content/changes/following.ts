/** A reader that follows changes: an open stream, or a request that waits for one. */
import type { Caller } from '../../models/caller.ts'
import type { ChangePages, ChangeQuery } from './change-pages.ts'
import type { ChangeView } from './page-reading.ts'

/** Gives the caller with the roles of now, and throws where the session has ended. */
export type Reader = () => Caller

export interface Following {
  readonly query: ChangeQuery
  readonly reader: Reader
  view: ChangeView
  /** The seq up to which it has every change. */
  seq: number
}

/** Whose turn it is when a page is read for a reader. */
export function turnOf(one: Following) {
  return { caller: one.view.callerId, class: one.view.callerClass }
}

/** Looks at the roles of now. Throws where the session has ended; returns whether they show something else than before. */
export function followRights(pages: Pick<ChangePages, 'view' | 'rights'>, one: Following): boolean {
  const caller = one.reader()
  if (pages.rights(caller) === one.view.rights) return false
  one.view = pages.view(one.query, caller)
  return true
}
