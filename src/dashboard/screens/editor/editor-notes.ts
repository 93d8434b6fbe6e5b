/** What the editor tells besides: where the document is used, which others have its address, and its review. */
import { isAdmin } from '../../../models/caller.ts'
import { headline } from '../../../models/headline.ts'
import { isReviewed } from '../../../models/workflow.ts'
import { fill, h } from '../../kit/dom.ts'
import { watchDuplicates, type WatchedAddress } from './address-note.ts'
import { feedOrigins } from './feed-origins.ts'
import { reviewBar, type ReviewBarOptions } from './review-bar.ts'
import { usageLine } from './usage-line.ts'

interface EditorNotes extends Omit<WatchedAddress, 'signal'>, ReviewBarOptions {
  readonly usage: HTMLElement
}

/** Draws the use into an element, and watches the address in the columns of the form. */
export function editorNotes({ usage, ...options }: EditorNotes) {
  const { frame, model, context: { signal, user } } = options
  const columns = frame.querySelector<HTMLElement>('.editor-columns')
  if (columns !== null) watchDuplicates(columns, { ...options, signal })
  const [use, feeds] = [h('div', { class: 'usage-facts' }), h('div', { class: 'feed-origins' })]
  fill(usage, use, feeds)
  const origins = model === headline ? feedOrigins(feeds, options.context, () => options.draft.stored()?.document) : undefined
  const line = usageLine(use, { ...options, signal })
  const isForReview = isReviewed(model) && !isAdmin(user)
  const bar = isForReview ? reviewBar(options) : undefined
  return {
    /** After the document was stored or changed elsewhere. */
    show(id: string | undefined): void {
      line.show(id)
      origins?.show(id)
      bar?.draw()
    },
  }
}
