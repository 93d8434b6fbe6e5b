/**
 * Keeps the rows of a list as the documents are: a row that changed glows once, one that was deleted goes. Rows never jump for
 * what is new: it waits behind a button that tells how many there are. News of a deletion that this page has undone may come
 * after the undo; the service then says whether the document is there.
 */
import type { Model } from '../../../models/schema.ts'
import { draftsOf, type StoredDocument } from '../../any-documents.ts'
import { wasBroughtBack } from '../../changed-documents.ts'
import type { Change } from '../../live-changes.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { hasFocus } from '../../kit/focus.ts'
import { icon } from '../../kit/icons.ts'
import type { RowSelection } from '../../kit/table/row-selection.ts'
import type { ListView } from './list-view.ts'

/** More at a time are a load of data, and the rows are read once more in its place. */
const CHANGES_MAX = 100

export interface LiveRowsOptions {
  readonly model: Model
  readonly context: ScreenContext
  readonly view: Pick<ListView, 'query' | 'isNarrowed'>
  readonly selection?: RowSelection
  readonly table: {
    update(document: StoredDocument): boolean
    remove(ids: readonly string[]): void
    sift(): void
    reload(): Promise<void>
    focus(): void
  }
}

export function liveRows({ model, context, view, selection, table }: LiveRowsOptions) {
  const { client, live, signal } = context
  const documents = draftsOf(client, model)
  const fresh = new Set<string>()
  /** What was taken out and may come back from the trash: to its place, since it is not new. */
  const taken = new Set<string>()
  const element = h('div', { class: 'fresh', role: 'status' })
  live.follow({ changed: (changes) => void take(changes), missed: () => table.sift() }, signal)

  async function take(all: readonly Change[]): Promise<void> {
    const changes = all.filter((one) => one.model === model.name)
    if (changes.length > CHANGES_MAX) return table.sift()
    const gone = changes.flatMap(({ id, document }) => (document === undefined ? [id] : []))
    const doubtful = gone.filter(wasBroughtBack)
    takeOut(gone.filter((id) => !doubtful.includes(id)))
    const back = changes.flatMap(({ id, document }) => (document !== undefined && taken.delete(id) ? [id] : []))
    if (back.length > 0) table.sift()
    const unknown = changes.flatMap(({ id, document }) =>
      document !== undefined && !table.update(document) && !back.includes(id) && isNew(document) ? [id] : [],
    )
    for (const id of await shownOf(unknown)) fresh.add(id)
    takeOut(await missingOf(doubtful))
    if (!signal.aborted) show()
  }

  function takeOut(gone: readonly string[]): void {
    if (gone.length === 0 || signal.aborted) return
    table.remove(gone)
    if (selection !== undefined && gone.some(selection.has)) selection.set(selection.ids().filter((id) => !gone.includes(id)))
    for (const id of gone) {
      fresh.delete(id)
      taken.add(id)
    }
  }

  /** Which of them the service does not have. What it does not tell stays where it is. */
  async function missingOf(ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0) return []
    const there = await documents.list({ filter: { id: { $in: ids } }, limit: CHANGES_MAX }, { signal }).catch(() => undefined)
    return there === undefined ? [] : ids.filter((id) => !there.items.some((one) => one.id === id))
  }

  /** Which of them the list would show; the service decides by the list's own filter. */
  async function shownOf(ids: readonly string[]): Promise<readonly string[]> {
    if (ids.length === 0 || !view.isNarrowed()) return ids
    const { filter: wanted, sort: _, ...narrowed } = view.query()
    const filter = { ...wanted, id: { $in: ids } }
    const { items } = await documents.list({ ...narrowed, filter, limit: CHANGES_MAX }, { signal }).catch(() => ({ items: [] }))
    return items.map(({ id }) => id)
  }

  function show(): void {
    const hadFocus = hasFocus(element)
    fill(element, fresh.size > 0 && button([icon('up'), t('list.fresh', { count: fresh.size })], read, { class: 'primary small' }))
    if (hadFocus && fresh.size === 0) table.focus()
  }

  function read(): void {
    clear()
    void table.reload()
  }

  /** What was new is about to be read. */
  function clear(): void {
    fresh.clear()
    show()
  }

  return { element, clear }
}

/** A change of a document that was there before is not new, wherever it stands. */
function isNew({ createdAt, updatedAt }: StoredDocument): boolean {
  return createdAt !== undefined && createdAt === updatedAt
}
