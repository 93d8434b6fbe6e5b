/** What can be done with the document of an editor, for the palette. */
import type { Caller } from '../../../models/caller.ts'
import type { Model } from '../../../models/schema.ts'
import { may } from '../../permissions.ts'
import { mayDelete } from '../../review-duty.ts'
import type { ScreenAction } from '../../screen.ts'
import { t } from '../../texts.ts'
import type { FrameOptions } from './editor-frame.ts'
import { stepIcon, stepTitle } from './publish-control.ts'
import { publishPlan, statusOf, type PublishState, type PublishStep } from './publish-plan.ts'

export type EditorWork = Pick<FrameOptions, 'run' | 'duplicate' | 'remove' | 'showJson'>
type Parts = EditorWork & { readonly model: Model; readonly user: Caller }

export function editorActions({ model, user, run, duplicate, remove, showJson }: Parts, state: PublishState): readonly ScreenAction[] {
  const { status } = state
  const { main, beside, more } = publishPlan(state)
  const steps = [main, beside, ...more].filter((step) => step !== undefined)
  const actions = steps.map((step) => ({ title: stepTitle(step, state), icon: stepIcon(step), isStatus: changesStatus(step, status), run: () => run(step) }))
  if (status === undefined) return actions
  return [
    ...actions,
    ...(may('create', model, user) ? [{ title: t('editor.duplicate'), icon: 'copy', run: duplicate } as const] : []),
    { title: t('editor.json'), icon: 'docs', run: showJson },
    ...(may('remove', model, user) && mayDelete(model, user, status) ? [{ title: t('delete'), icon: 'trash', run: remove } as const] : []),
  ]
}

function changesStatus(step: PublishStep, status: string | undefined): boolean {
  return statusOf(step, status) !== status
}
