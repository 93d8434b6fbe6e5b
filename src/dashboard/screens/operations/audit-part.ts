/** The audit trail: who did what, the newest first, narrowed by event, actor, document and address, page by page. */
import type { AuditRecords } from '../../../models/responses.ts'
import { AUDIT_EVENTS } from '../../../models/audit.ts'
import { user as userModel } from '../../../models/user.ts'
import { fetchNames } from '../list/document-names.ts'
import { contentModels } from '../../permissions.ts'
import { currentPlace, noteQuery } from '../../places.ts'
import { t } from '../../texts.ts'
import { debounce } from '../../timing.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import { exactTime } from '../../kit/moments.ts'
import { notify } from '../../kit/notices.ts'
import { emptyState, isAbort, wordsOf } from '../../kit/states.ts'
import { eventTitle, namedIds, whatCell, whoCell, type AuditItem } from './audit-row.ts'
import { AUDIT_FIELDS, auditQuery, isWholeEmail, readAuditSearch, type AuditSearch } from './audit-search.ts'
import { whileBusy } from './busy-button.ts'
import { readInto, type OpenPart } from './part.ts'
import { recordsTable } from './records-table.ts'

const PAGE_ITEMS = 50
const TYPING_PAUSE_MS = 300

export const auditPart: OpenPart = (context) => {
  const { client, signal, user } = context
  const models = contentModels(user)
  let search = readAuditSearch(context.place.query)
  let items: readonly AuditItem[] = []
  const place = h('div')
  const rows = h('div')

  const read = async (cursor: string | null, options: { readonly signal?: AbortSignal | undefined }) => {
    const page = await client.admin.audit({ ...auditQuery(search), limit: PAGE_ITEMS, cursor }, options)
    const names = [userModel, ...models].map((model) => {
      const ids = [...new Set(page.items.flatMap((item) => namedIds(item, model)))]
      return fetchNames(client, { model, ids, signal })
    })
    await Promise.all(names)
    return page
  }
  const { load } = readInto(context, {
    place,
    lines: 12,
    read: (options) => read(null, options),
    show(page) {
      items = page.items
      return items.length === 0 ? nothing() : drawn(page)
    },
  })

  function drawn(page: AuditRecords): HTMLElement {
    const more = h('button', { type: 'button', on: { click: () => void whileBusy(more, readMore) } }, t('audit.more'))
    const readMore = async (): Promise<void> => {
      const asked = search
      try {
        const next = await read(page.cursor, { signal })
        // The records of another search are there by now, or are on their way.
        if (search !== asked) return
        const known = items.length
        items = [...items, ...next.items]
        drawn(next)
        // The button is another one now; who reads on is at the first of the new rows.
        rows.querySelectorAll('tbody tr')[known]?.querySelector('a')?.focus({ preventScroll: true })
      } catch (error) {
        if (!isAbort(error)) notify(wordsOf(error), { kind: 'failed' })
      }
    }
    return fill(rows, table(), page.hasMore && h('div', { class: 'buttons' }, more))
  }

  function table(): HTMLElement {
    return recordsTable(
      t('operations.audit'),
      [
        { title: t('audit.time'), cell: ({ time }) => exactTime(time) },
        { title: t('audit.event'), cell: ({ event }) => eventTitle(event) },
        { title: t('audit.who'), cell: (item) => whoCell(item, search) },
        { title: t('audit.from'), cell: ({ clientAddress }) => (clientAddress === '' ? '–' : address(clientAddress)) },
        { title: t('audit.what'), cell: (item) => whatCell(item, search, models) },
      ],
      items,
    )
  }

  function change(next: Partial<AuditSearch>): void {
    const changed = { ...search, ...next }
    showClear()
    if (AUDIT_FIELDS.every((name) => changed[name] === search[name])) return
    search = changed
    const { query } = currentPlace()
    for (const name of AUDIT_FIELDS) query.set(name, search[name])
    noteQuery(query)
    load()
  }

  const events = h(
    'select',
    { value: search.event, on: { change: () => change({ event: events.value }) } },
    h('option', { value: '' }, t('all')),
    AUDIT_EVENTS.map((event) => h('option', { value: event, selected: event === search.event }, eventTitle(event))),
  )

  function field(name: 'actor' | 'document' | 'email', use = (text: string): void => change({ [name]: text })) {
    const soon = debounce(TYPING_PAUSE_MS, () => use(input.value.trim()))
    const input = h('input', {
      type: 'search',
      value: search[name],
      autocomplete: 'off',
      spellcheck: 'false',
      dir: 'ltr',
      on: { input: soon },
    })
    signal.addEventListener('abort', soon.cancel)
    return input
  }
  const emailProblem = h('p', { id: 'audit-email-problem', class: 'field-problem', role: 'status' })
  const useEmail = (text: string): void => {
    const isUsable = text === '' || isWholeEmail(text)
    fill(emailProblem, isUsable ? null : t('audit.wholeEmail'))
    change({ email: isUsable ? text : '' })
  }
  const fields = { actor: field('actor'), document: field('document'), email: field('email', useEmail) }
  fields.email.setAttribute('aria-describedby', emailProblem.id)

  const clear = h('button', { type: 'button', on: { click: clearAll } }, t('list.clear'))
  function showClear(): void {
    clear.hidden = [events, ...Object.values(fields)].every(({ value }) => value === '')
  }
  function clearAll(): void {
    events.value = ''
    for (const input of Object.values(fields)) input.value = ''
    fill(emailProblem)
    change({ event: '', actor: '', document: '', email: '' })
    events.focus()
  }
  clear.hidden = AUDIT_FIELDS.every((name) => search[name] === '')

  function nothing(): Child {
    const isWhole = AUDIT_FIELDS.every((name) => search[name] === '')
    return isWhole ? emptyState('check', t('list.empty')) : emptyState('search', t('list.nothing'))
  }

  const labelled = (words: string, input: HTMLElement): HTMLElement => h('label', {}, h('span', {}, words), input)
  return {
    element: h(
      'div',
      { class: 'part' },
      h('p', { class: 'soft' }, t('audit.about')),
      h(
        'div',
        { class: 'audit-tools' },
        labelled(t('audit.event'), events),
        labelled(t('audit.actorId'), fields.actor),
        labelled(t('audit.documentId'), fields.document),
        h('div', {}, labelled(t('signIn.email'), fields.email), emailProblem),
        h('div', { class: 'buttons' }, clear),
      ),
      place,
    ),
    search: fields.document,
  }
}

function address(text: string): HTMLElement {
  return h('code', { class: 'audit-address', dir: 'ltr' }, text)
}
