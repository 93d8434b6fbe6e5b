/** What can be done with the chosen rows: one status for all of them, or deleting them. */
import type { Client } from '../../../client/client.ts'
import type { Caller } from '../../../models/caller.ts'
import type { Model } from '../../../models/schema.ts'
import { maySetStatus } from '../../review-duty.ts'
import type { ScreenAction } from '../../screen.ts'
import { t } from '../../texts.ts'
import { notifyFailure } from '../../kit/notices.ts'
import { statusAction } from '../../kit/status-tag.ts'
import { bulkAction, selectionBar, type SelectionBarOptions } from '../../kit/table/bulk-work.ts'

/** Most readers of a list change nothing. */
const load = () => import('./bulk-actions.ts')

export interface BulkBarOptions extends Omit<SelectionBarOptions, 'actions'> {
  readonly model: Model
  readonly user: Caller
  readonly client: Client
  readonly mayRemove: boolean
  readonly signal: AbortSignal
}

export function bulkBar({ model, user, client, mayRemove, signal, ...given }: BulkBarOptions) {
  const { selection } = given
  type Actions = ReturnType<Awaited<ReturnType<typeof load>>['bulkActions']>
  let loaded: Actions | undefined
  const act = (run: (actions: Actions) => Promise<void>) => (): void => {
    const later = async (): Promise<void> => {
      const { bulkActions } = await load()
      loaded ??= bulkActions({ model, client, selection, bar, signal })
      // A second click comes when the rows are let go.
      if (selection.size > 0) await run(loaded)
    }
    later().catch(notifyFailure)
  }
  const status = model.fields['status']
  const statuses = (status?.kind === 'choice' ? status.values : []).filter((to) => maySetStatus(model, user, { to })).map((value): ScreenAction => {
    const [title, icon] = statusAction(value)
    return { title, icon, isStatus: true, run: act(({ change }) => change(value)) }
  })
  const removal: ScreenAction = { title: t('delete'), icon: 'trash', run: act(({ remove }) => remove()) }
  const actions = mayRemove ? [...statuses, removal] : statuses
  const bar = selectionBar({ ...given, actions: actions.map(({ title, icon, run }) => bulkAction(title, icon, run)) })

  return {
    ...bar,
    actions,
    /** Shows how many are chosen, and fetches what can be done with them. */
    show(): void {
      bar.show()
      // A failure is told when something is to be done.
      if (selection.size > 0) load().catch(() => {})
    },
  }
}
