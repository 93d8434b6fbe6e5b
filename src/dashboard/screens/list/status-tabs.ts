/** Tabs of a list: all documents, those of each status, and the trash, each with how many there are. */
import type { DocumentCounts } from '../../../models/responses.ts'
import type { Model } from '../../../models/schema.ts'
import type { Status } from '../../../models/workflow.ts'
import { draftsOf } from '../../any-documents.ts'
import { modelsTitle, valueTitle } from '../../model-titles.ts'
import { may } from '../../permissions.ts'
import { onDocumentsChanged } from '../../changed-documents.ts'
import { hrefTo, SCHEDULED as SCHEDULED_PATH } from '../../screen-url.ts'
import type { ScreenContext } from '../../screen.ts'
import { locale, t, textOr } from '../../texts.ts'
import { atMostEvery, debouncedRequest } from '../../timing.ts'
import { h } from '../../kit/dom.ts'
import { partLinks } from '../../kit/part-links.ts'
import { SCHEDULED } from './list-columns.ts'
import { tabOf, type ListState } from './list-state.ts'
import type { ListView } from './list-view.ts'

type Counted = DocumentCounts['all']

const COUNT_PAUSE_MS = 400
/** Between two counts of a list whose documents change elsewhere. */
const RECOUNT_MS = 2_000

export interface StatusTabsOptions {
  readonly model: Model
  readonly context: ScreenContext
  readonly view: ListView
  /** Gets how many documents the list has that is shown. */
  readonly onCounted: (count: Counted | undefined) => void
}

/** Without an element for a model that has no status. */
export function statusTabs({ model, context, view, onCounted }: StatusTabsOptions) {
  const { client, user, live, signal } = context
  const { status } = model.fields
  const statuses = status?.kind === 'choice' ? status.values : []
  const values = [undefined, ...statuses.flatMap((value) => (value === 'draft' && view.isScheduling ? [value, SCHEDULED] : [value]))]
  const tabs = values.map((value) => statusTab(value, view))
  // Named apart from the trash of all models, which is in the navigation.
  const mayRemove = may('remove', model, user)
  const trashNumber = tabNumber()
  const trash = h(
    'a',
    { href: hrefTo(['trash'], { model: model.name }) },
    t('trash.title'),
    h('span', { class: 'spoken' }, ` ${modelsTitle(model)}`),
    ' ',
    trashNumber.element,
  )
  const calendar = h('li', { hidden: true }, h('a', { href: hrefTo([SCHEDULED_PATH]) }, t('scheduled.calendar')))
  const links = partLinks(t('list.tabs', { name: modelsTitle(model) }), tabs.map((tab) => h('li', {}, tab.element)), calendar, mayRemove && h('li', {}, trash))

  const count = debouncedRequest(COUNT_PAUSE_MS, signal, async (ended) => {
    const { sort: _, ...narrowed } = view.queryWith({ filters: withoutStatus(view), isScheduled: false })
    // A tab without a number does as well.
    const counts = await draftsOf(client, model).counts(narrowed, { signal: ended }).catch(() => undefined)
    if (counts === undefined || ended.aborted) return
    for (const tab of tabs) tab.tell(countOf(counts, tab.value))
    trashNumber.tell(counts.trash)
    onCounted(shownOf(counts, view.state()))
  })
  /** Many changes in a row are counted while they come, too. */
  const recount = atMostEvery(RECOUNT_MS, signal, () => count.now())

  onDocumentsChanged(() => count(), signal)
  live.follow({ changed: (changes) => changes.some((one) => one.model === model.name) && recount(), missed: recount }, signal)
  addEventListener('online', recount, { signal })
  count.now()
  const showCalendar = (): void => void (calendar.hidden = !view.state().isScheduled)
  showCalendar()

  return {
    element: values.length > 1 && links.element,
    /** Shows which is chosen, and counts for another query. */
    show(): void {
      for (const tab of tabs) tab.draw()
      showCalendar()
      links.show()
      count()
    },
  }
}

function withoutStatus(view: ListView): ListState['filters'] {
  return new Map([...view.state().filters].filter(([key]) => key !== 'status'))
}

/** Of the tab with this status; of all without one. */
function countOf({ all, byStatus, scheduled }: DocumentCounts, value: string | undefined): Counted | null | undefined {
  if (value === undefined) return all
  return value === SCHEDULED ? scheduled : byStatus[value as Status]
}

/** Of the list that is shown. Statuses share no document. */
function shownOf(counts: DocumentCounts, { filters, isScheduled }: ListState): Counted | undefined {
  const chosen = isScheduled ? [SCHEDULED] : (filters.get('status') ?? [undefined])
  const parts = chosen.map((value) => countOf(counts, value))
  if (!parts.every((part) => part !== null && part !== undefined)) return undefined
  return { total: parts.reduce((sum, { total }) => sum + total, 0), totalIsFloor: parts.some((part) => part.totalIsFloor) }
}

/** The link stays the same element, so that a reader who is at it stays there. */
function statusTab(value: string | undefined, view: ListView) {
  const number = tabNumber()
  const title = value === undefined ? t('list.all') : textOr(`tab.${value}`, valueTitle(value))
  const element = h('a', { on: { click } }, title, ' ', number.element)
  draw()

  /** The list with this status. */
  function shown(): Pick<ListState, 'filters' | 'isScheduled'> {
    const others = withoutStatus(view)
    const isScheduled = value === SCHEDULED
    return { filters: value === undefined || isScheduled ? others : new Map([...others, ['status', [value]]]), isScheduled }
  }

  function click(event: MouseEvent): void {
    // Other clicks open another tab of the browser.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    view.change(shown(), true)
  }

  function draw(): void {
    element.href = view.hrefWith(shown())
    if (tabOf(view.state()) === (value ?? '')) element.ariaCurrent = 'page'
    else element.removeAttribute('aria-current')
  }

  return {
    element,
    value,
    draw,
    tell: number.tell,
  }
}

function tabNumber() {
  const element = h('span', { class: 'tab-count' })
  return {
    element,
    tell(count: Counted | null | undefined): void {
      if (count !== null && count !== undefined) element.textContent = `${count.total.toLocaleString(locale())}${count.totalIsFloor ? '+' : ''}`
    },
  }
}
