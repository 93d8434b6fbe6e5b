/** The audit trail: who did what, the newest first, narrowed by event, actor, document and e-mail address, page by page. */
import { user as userModel } from '../../../models/user.ts'
import type { AuditRecords } from '../../../models/responses.ts'
import { fetchNames } from '../list/document-names.ts'
import { trashedModels } from '../../permissions.ts'
import { mergeQuery } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { atMostEvery } from '../../timing.ts'
import { fill, h } from '../../kit/dom.ts'
import { readInto } from '../../kit/read-into.ts'
import { emptyState } from '../../kit/states.ts'
import { workButton } from '../../kit/work-button.ts'
import { auditFilters } from './audit-filters.ts'
import { auditTable, namedIds, type AuditItem } from './audit-records.ts'
import { auditQuery, isSameSearch, readAuditSearch, type AuditSearch } from './audit-search.ts'
import type { OpenPart } from './part.ts'

const PAGE_ITEMS = 50
/** Between two looks at what has changed meanwhile. */
const REST_MS = 2_000

export const auditPart: OpenPart = (context) => {
  const { client, signal, user } = context
  const models = trashedModels(user)
  let search = readAuditSearch(context.screenUrl.query)
  let items: readonly AuditItem[] = []
  const content = h('div')
  const rows = h('div')
  const filters = auditFilters(search, change, signal)
  const { load, refresh } = readInto(context, {
    element: content,
    lines: 12,
    read: (options) => read(null, options.signal),
    show(page) {
      // Further pages have come since this look was taken.
      if (items.length > PAGE_ITEMS) return rows
      items = page.items
      if (items.length > 0) return drawn(page)
      return isSameSearch(search, readAuditSearch(new URLSearchParams())) ? emptyState('check', t('list.empty')) : emptyState('search', t('list.nothing'))
    },
  })

  // Further pages stay as they were read: rows under the reader's eyes would move.
  context.live.watch(atMostEvery(REST_MS, signal, () => items.length <= PAGE_ITEMS && refresh()), signal)

  /** A page of records, and the names of what they are about. */
  async function read(cursor: string | null, ended = signal): Promise<AuditRecords> {
    const page = await client.admin.audit({ ...auditQuery(search), limit: PAGE_ITEMS, cursor }, { signal: ended })
    const names = [userModel, ...models].map((model) => {
      const ids = [...new Set(page.items.flatMap((item) => namedIds(item, model)))]
      return fetchNames(client, { model, ids, signal })
    })
    await Promise.all(names)
    return page
  }

  function drawn({ hasMore, cursor }: AuditRecords): HTMLElement {
    const more = workButton(t('showMore'), () => readMore(cursor))
    return fill(rows, auditTable(items, search, models), hasMore && h('div', { class: 'buttons' }, more))
  }

  async function readMore(cursor: string | null): Promise<void> {
    const asked = search
    // A look meanwhile may put newer ones in their place, and the next page goes on behind these.
    const before = items
    const next = await read(cursor)
    // The records of another search are there by now, or are on their way.
    if (search !== asked) return
    items = [...before, ...next.items]
    drawn(next)
    // The button is another one now; the reader goes on at the first of the new rows.
    rows.querySelectorAll('tbody tr')[before.length]?.querySelector('a')?.focus({ preventScroll: true })
  }

  function change(next: AuditSearch): void {
    if (isSameSearch(next, search)) return
    search = next
    items = []
    mergeQuery({ ...search })
    load()
  }

  return {
    element: h('div', { class: 'part' }, h('p', { class: 'soft' }, t('audit.about')), filters.element, content),
    search: filters.search,
  }
}
