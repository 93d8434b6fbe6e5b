/** What can be done with the document of an editor, for the palette. */
import type { Caller } from '../../../models/caller.ts'
import type { Model } from '../../../models/schema.ts'
import { STATUSES } from '../../../models/status.ts'
import { may } from '../../permissions.ts'
import { mayDelete, maySetStatus } from '../../review-duty.ts'
import type { ScreenAction } from '../../screen.ts'
import { t } from '../../texts.ts'
import { statusAction } from '../../kit/status-tag.ts'
import type { FrameOptions } from './editor-frame.ts'

export type EditorWork = Pick<FrameOptions, 'save' | 'duplicate' | 'remove' | 'showJson'>
type Parts = EditorWork & { readonly model: Model; readonly user: Caller }

/** The status is undefined for a document that is not stored yet. */
export function editorActions({ model, user, save, duplicate, remove, showJson }: Parts, status: string | undefined): readonly ScreenAction[] {
  const isNew = status === undefined
  const mayTurn = (to: string | undefined): boolean => maySetStatus(model, user, { from: status, to })
  const statuses = STATUSES.filter((one) => (isNew ? one !== 'archived' : one !== status) && mayTurn(one)).map((one): ScreenAction => {
    const [title, icon] = statusAction(one)
    return { title: isNew && one === 'draft' ? t('editor.saveDraft') : title, icon, isStatus: true, run: () => save(one) }
  })
  if (isNew) return statuses
  return [
    ...(mayTurn(status) ? [{ title: t('save'), icon: 'check', run: () => save() } as const] : []),
    ...statuses,
    ...(may('create', model, user) ? [{ title: t('editor.duplicate'), icon: 'copy', run: duplicate } as const] : []),
    { title: t('editor.json'), icon: 'docs', run: showJson },
    ...(may('remove', model, user) && mayDelete(model, user, status) ? [{ title: t('delete'), icon: 'trash', run: remove } as const] : []),
  ]
}
