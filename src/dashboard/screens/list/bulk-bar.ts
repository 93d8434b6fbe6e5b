/** What can be done with the chosen rows: one status or time for all of them, handing them in for review, or deleting them. */
import type { Client } from '../../../client/client.ts'
import type { Caller } from '../../../models/caller.ts'
import type { Model } from '../../../models/schema.ts'
import type { ScreenAction } from '../../screen.ts'
import { t } from '../../texts.ts'
import { fill, h } from '../../kit/dom.ts'
import { hasFocus } from '../../kit/focus.ts'
import { icon } from '../../kit/icons.ts'
import { notifyFailure } from '../../kit/notices.ts'
import { statusAction } from '../../kit/status-tag.ts'
import { bulkAction, selectionBar, type SelectionBarOptions } from '../../kit/table/bulk-work.ts'
import { bulkActions, type BulkActionsOptions } from './bulk-actions.ts'
import { offers, type Standing } from './bulk-offers.ts'

/** Rows that can be chosen at once, and how often a reader hears how far that is. */
const CHOSEN_MAX = 10_000
const CHOSEN_STEP = 100

export interface BulkBarOptions extends Omit<SelectionBarOptions, 'actions'> {
  readonly model: Model
  readonly user: Caller
  readonly client: Client
  readonly mayRemove: boolean
  /** What was read last of a row; undefined where it was never. */
  readonly standingOf: (id: string) => Standing | undefined
  readonly rows: BulkActionsOptions['rows']
  readonly viewKey: BulkActionsOptions['viewKey']
  /** How many rows there are, in words, where some are not read yet and all that are read are chosen. */
  readonly hasMore: () => string | undefined
  /** All rows of the list, whether they were read or not. */
  readonly every: () => AsyncIterable<{ readonly id: string }>
  readonly signal: AbortSignal
}

export function bulkBar({ model, user, client, mayRemove, standingOf, rows, viewKey, hasMore, every, signal, ...given }: BulkBarOptions) {
  const { selection } = given
  const act = (run: (actions: ReturnType<typeof bulkActions>) => Promise<void>) => (): void => {
    // A second click comes when the rows are let go.
    if (selection.size > 0) run(actions).catch(notifyFailure)
  }
  const offer = offers(model, user)
  type Offered = (chosen: readonly Standing[]) => boolean
  const offered = (action: ScreenAction, isOffered: Offered) => ({ action, isOffered, element: bulkAction(action.title, action.icon, action.run) })
  const status = model.fields['status']
  const all = [
    ...(status?.kind === 'choice' ? status.values : []).map((to) => {
      const [title, icon] = statusAction(to)
      return offered({ title, icon, isStatus: true, run: act(({ setStatus }) => setStatus(to)) }, (chosen) => offer.status(chosen, to))
    }),
    offered({ title: t('turn.fields'), icon: 'edit', run: act(({ setFields }) => setFields()) }, offer.fields),
    offered({ title: t('turn.schedule'), icon: 'calendar', run: act(({ schedule }) => schedule()) }, offer.schedule),
    offered({ title: t('turn.handedIn'), icon: 'check', isStatus: true, run: act(({ handIn }) => handIn()) }, offer.handIn),
    offered({ title: t('delete'), icon: 'trash', run: act(({ remove }) => remove()) }, (chosen) => mayRemove && offer.removal(chosen)),
  ]
  const more = bulkAction('', 'check', () => void chooseAll().catch(notifyFailure))
  const bar = selectionBar({ ...given, actions: all.map(({ element }) => element), more })
  const actions = bulkActions({ model, client, selection, bar, standingOf, rows, viewKey, signal })
  const standings = (ids: readonly string[]): readonly Standing[] => ids.map((id) => standingOf(id) ?? {})

  /** Also the rows that are not read. */
  async function chooseAll(): Promise<void> {
    const shown = viewKey()
    const ids = await bar.run(CHOSEN_MAX, async (tell) => {
      const found: string[] = []
      for await (const { id } of every()) {
        if (found.push(id) % CHOSEN_STEP === 0) tell(found.length)
        if (found.length === CHOSEN_MAX) break
      }
      return found
    })
    if (viewKey() !== shown || signal.aborted) return
    selection.set(ids)
    bar.none.focus()
  }

  return {
    ...bar,
    /** What can be done with rows. */
    actionsFor(ids: readonly string[]): readonly ScreenAction[] {
      const chosen = standings(ids)
      return all.flatMap(({ action, isOffered }) => (isOffered(chosen) ? [action] : []))
    },
    /** Shows how many are chosen, and what can be done with them. */
    show(): void {
      const chosen = standings(selection.ids())
      const focused = all.find(({ element }) => hasFocus(element))?.element
      for (const { element, isOffered } of all) element.hidden = !isOffered(chosen)
      const words = hasMore()
      more.hidden = words === undefined
      if (words !== undefined) fill(more, icon('check'), h('span', {}, (more.title = t('bulk.all', { count: words }))))
      bar.show()
      if (focused?.hidden === true) bar.none.focus()
    },
  }
}
