/** Tabs of a list: all documents, those of each status, and the trash, each with how many there are. */
import type { Page } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { documentsOf, draftsOf } from '../../any-documents.ts'
import { modelsTitle, valueTitle } from '../../model-titles.ts'
import { may } from '../../permissions.ts'
import { onDocumentsChanged } from '../../changed-documents.ts'
import { hrefTo, SCHEDULED as SCHEDULED_PATH } from '../../screen-url.ts'
import type { ScreenContext } from '../../screen.ts'
import { locale, t, textOr } from '../../texts.ts'
import { debouncedRequest } from '../../timing.ts'
import { h } from '../../kit/dom.ts'
import { partLinks } from '../../kit/part-links.ts'
import { SCHEDULED } from './list-fields.ts'
import { tabOf, type ListState } from './list-state.ts'
import type { ListView } from './list-view.ts'

const COUNT_PAUSE_MS = 400

export interface StatusTabsOptions {
  readonly model: Model
  readonly context: ScreenContext
  readonly view: ListView
}

/** Without an element for a model that has no status. */
export function statusTabs({ model, context, view }: StatusTabsOptions) {
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
    {
      href: hrefTo(['trash'], { model: model.name }),
      'aria-label': t('pair', { name: t('trash.title'), value: modelsTitle(model) }),
    },
    t('trash.title'),
    ' ',
    trashNumber.element,
  )
  const calendar = h('li', { hidden: true }, h('a', { href: hrefTo([SCHEDULED_PATH]) }, t('scheduled.calendar')))
  const links = partLinks(t('list.tabs', { name: modelsTitle(model) }), tabs.map((tab) => h('li', {}, tab.element)), calendar, mayRemove && h('li', {}, trash))

  const count = debouncedRequest(COUNT_PAUSE_MS, signal, async (ended) => {
    const asked = tabs.map(async ({ tell, shown }) => {
      const { sort: _, ...narrowed } = view.queryWith(shown())
      const query = { ...narrowed, limit: 0, count: true, incomplete: may('replace', model, user) }
      const page = await documentsOf(client, model).list(query, { signal: ended })
      if (!ended.aborted) tell(page)
    })
    const countTrash = async (): Promise<void> => {
      const count = await draftsOf(client, model).trashCount({ signal: ended })
      if (ended.aborted) return
      trashNumber.tell(count)
      trash.setAttribute('aria-description', trashNumber.element.textContent)
    }
    // A tab without a number does as well.
    await Promise.allSettled([...asked, mayRemove && countTrash()])
  })

  onDocumentsChanged(() => count(), signal)
  const follow = (): void => count()
  live.follow({ changed: (changes) => changes.some((one) => one.model === model.name) && follow(), missed: follow }, signal)
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

/** The link stays the same element, so that a reader who is at it stays there. */
function statusTab(value: string | undefined, view: ListView) {
  const number = tabNumber()
  const title = value === undefined ? t('list.all') : textOr(`tab.${value}`, valueTitle(value))
  const element = h('a', { on: { click } }, title, ' ', number.element)
  draw()

  /** The list with this status. */
  function shown(): Pick<ListState, 'filters' | 'isScheduled'> {
    const others = [...view.state().filters].filter(([key]) => key !== 'status')
    const isScheduled = value === SCHEDULED
    return { filters: new Map(value === undefined || isScheduled ? others : [...others, ['status', [value]]]), isScheduled }
  }

  function click(event: MouseEvent): void {
    // Other clicks open another tab of the browser.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    view.change(shown())
  }

  function draw(): void {
    element.href = view.hrefWith(shown())
    if (tabOf(view.state()) === (value ?? '')) element.ariaCurrent = 'page'
    else element.removeAttribute('aria-current')
  }

  return {
    element,
    draw,
    shown,
    tell: number.tell,
  }
}

function tabNumber() {
  const element = h('span', { class: 'tab-count' })
  return {
    element,
    tell({ total, totalIsFloor }: Pick<Page<unknown>, 'total' | 'totalIsFloor'>): void {
      element.textContent = total === undefined ? '' : `${total.toLocaleString(locale())}${totalIsFloor === true ? '+' : ''}`
    },
  }
}
