/**
 * The history of a document: who changed it and when, the newest first. An entry opens to what it changed, field by field,
 * and puts the document back as it was then.
 */
import type { Model } from '../../../models/schema.ts'
import type { Documents, HistoryItem, StoredDocument } from '../../any-documents.ts'
import type { DocumentHistory } from '../../../models/responses.ts'
import { fieldTitle } from '../../model-titles.ts'
import { actorName } from '../../people.ts'
import { may } from '../../permissions.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { fill, h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { ago, dateTime } from '../../kit/moments.ts'
import { readInto } from '../../kit/read-into.ts'
import { emptyState, failureState, skeleton } from '../../kit/states.ts'
import { workButton } from '../../kit/work-button.ts'
import { differenceOf } from './version-difference.ts'

/** Names of changed fields in the line of an entry. */
const FIELDS_SHOWN = 6
const PAGE_ITEMS = 50

export interface HistoryOptions {
  readonly model: Model
  readonly context: ScreenContext
  readonly documents: Documents
  readonly id: string
  /** Puts the document back as it was behind this change. */
  readonly restore: (seq: number) => Promise<void>
  /** Whether the reader may store the document with this status. */
  readonly maySetStatus: (to: unknown) => boolean
}

export type HistoryPanel = ReturnType<typeof historyPanel>

export function historyPanel({ model, context, documents, id, restore, maySetStatus }: HistoryOptions) {
  const element = h('div', { class: 'history' })
  const list = h('ol', { class: 'divided' })
  const versions = new Map<number, Promise<StoredDocument | undefined>>()
  const { refresh } = readInto(context, {
    element,
    lines: 8,
    read: ({ signal }) => documents.history(id, { limit: PAGE_ITEMS, signal }),
    show(page) {
      if (page.items.length === 0) return emptyState('archive', t('history.none'))
      fill(list)
      return [list, entriesOf(page, [])]
    },
  })

  /** Puts a page behind the entries before it; what comes after them is a button for more. */
  function entriesOf({ items, cursor }: DocumentHistory, before: readonly HistoryItem[]): HTMLElement | undefined {
    const all = [...before, ...items]
    // The last of a page waits for the one before it, from which it differs.
    const shown = cursor === null ? all : all.slice(0, -1)
    const known = list.childElementCount
    list.append(...shown.slice(known).map((item, i) => h('li', {}, entry(item, all[known + i + 1], known + i === 0))))
    if (cursor === null) return undefined
    const more = workButton(t('showMore'), async () => {
      const next = entriesOf(await documents.history(id, { limit: PAGE_ITEMS, cursor, signal: context.signal }), all)
      if (next === undefined) more.remove()
      else more.replaceWith(next)
      list.children[shown.length]?.querySelector('summary')?.focus()
    })
    return more
  }

  /** A deletion left nothing. */
  function versionOf({ seq, etag }: HistoryItem): Promise<StoredDocument | undefined> {
    if (etag === null) return Promise.resolve(undefined)
    const known = versions.get(seq) ?? documents.version(id, String(seq)).then(({ document }) => document)
    versions.set(seq, known)
    known.catch(() => versions.delete(seq))
    return known
  }

  function entry(item: HistoryItem, before: HistoryItem | undefined, isNewest: boolean): HTMLElement {
    const body = h('div', { class: 'history-change' })
    const names = [...new Set(item.paths.map((path) => fieldTitle(path.split('.')[0] ?? path)))]
    const shown = names.slice(0, FIELDS_SHOWN).join(' · ')
    const open = (): void => {
      if (!element.isConnected || !details.open || body.hasChildNodes()) return
      void showChange()
    }
    async function showChange(): Promise<void> {
      fill(body, skeleton(3))
      try {
        const [then, earlier] = await Promise.all([versionOf(item), before && versionOf(before)])
        const mayRestore = then !== undefined && !isNewest && may('replace', model, context.user) && maySetStatus(then['status'])
        fill(body, differenceOf(model, earlier, then ?? {}), mayRestore && restoreButton(item))
      } catch (error) {
        fill(body, failureState(error, () => void showChange()))
      }
    }
    const details = h(
      'details',
      {},
      h(
        'summary',
        {},
        icon(item.kind === 'created' ? 'plus' : item.kind === 'restored' ? 'refresh' : item.kind === 'deleted' ? 'trash' : 'edit'),
        h('span', { class: 'history-what' }, t(`history.${item.kind}`, { name: actorName(item.actor, context.user) }), shown !== '' && h('span', { class: 'soft' }, shown)),
        h('span', { class: 'history-when soft' }, ago(item.at)),
      ),
      body,
    )
    details.addEventListener('toggle', open)
    return details
  }

  function restoreButton(item: HistoryItem): HTMLElement {
    const again = workButton([icon('refresh'), t('history.restore')], () => restore(item.seq))
    return h('div', { class: 'buttons' }, h('span', { class: 'soft' }, dateTime(item.at)), again)
  }

  return { element, refresh }
}
