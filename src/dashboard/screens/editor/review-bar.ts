/** Review in the editor of a publisher: handing a draft in, taking it back, the note of one that was given back. */
import type { Client } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { setReviewOn } from '../../review-duty.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import { ago } from '../../kit/moments.ts'
import { notify } from '../../kit/notices.ts'
import { workButton } from '../../kit/work-button.ts'
import type { StoredAny } from './store-document.ts'

type Reviews = Awaited<ReturnType<ReturnType<Client['data']>['review']>>

export interface ReviewBarOptions {
  readonly model: Model
  readonly context: Pick<ScreenContext, 'client' | 'user' | 'signal'>
  /** Of the form, with its buttons. */
  readonly frame: HTMLElement
  readonly draft: { stored(): StoredAny | undefined; hasUnsaved(): boolean; adopt(stored: StoredAny): void }
  readonly saving: { begin(): void; settle(): Promise<void> }
  readonly problems: { saved(): void }
  readonly redraw: () => void
}

export function reviewBar({ model, context, frame, draft, saving, problems, redraw }: ReviewBarOptions) {
  const { client, signal } = context
  const { stored } = draft
  const place = h('div')
  frame.querySelector('.editor-notes')?.prepend(place)
  const calls = client.data(model.name as 'headline')
  let state: Reviews | undefined
  let readFor: string | undefined

  async function read(id: string | undefined): Promise<void> {
    state = id === undefined ? { ...(await client.dashboard.reviews({ signal })), note: null } : await calls.review(id, { signal })
    if (setReviewOn(state.isOn)) redraw()
    show()
  }

  function show(): void {
    const document = stored()?.document
    const isOn = state?.isOn === true
    fill(place, isOn && document !== undefined && linesOf(document['status'], document['handedInAt']))
  }

  function linesOf(status: unknown, handedInAt: unknown): Child {
    if (status === 'active') return h('p', { class: 'review-bar' }, t('review.publishedHere'))
    if (status !== 'draft') return null
    const isHandedIn = typeof handedInAt === 'string'
    const turn = workButton(t(isHandedIn ? 'review.withdraw' : 'review.handIn'), () => change(!isHandedIn), { class: isHandedIn ? undefined : 'primary' })
    const note = state?.note ?? null
    return [
      note !== null && !isHandedIn && h('blockquote', { dir: 'auto' }, h('p', { class: 'soft' }, t('review.gaveBack'), ' · ', ago(note.at)), h('p', { class: 'note', dir: 'auto' }, note.text)),
      h('p', { class: 'review-bar' }, isHandedIn ? h('span', {}, t('review.handedIn'), ' · ', ago(handedInAt)) : t('review.handInAbout'), turn),
    ]
  }

  async function change(isHandIn: boolean): Promise<void> {
    if (draft.hasUnsaved()) saving.begin()
    await saving.settle()
    const now = stored()
    if (now === undefined || draft.hasUnsaved()) return
    // Any date hands it in: the service sets its own.
    const handedInAt = isHandIn ? String(now.document['updatedAt']) : null
    draft.adopt((await calls.patch(now.document.id, { handedInAt }, { ifMatch: now.etag, signal })) as unknown as StoredAny)
    problems.saved()
    redraw()
    notify(t(isHandIn ? 'review.handedIn' : 'review.isWithdrawn'), { kind: 'done' })
  }

  return {
    /** After the document was stored or changed elsewhere. */
    draw(): void {
      const document = stored()?.document
      show()
      const key = [document?.id, document?.['updatedAt'], document?.['handedInAt']].join(' ')
      if (key === readFor) return
      readFor = key
      void read(document?.id).catch(() => {})
    },
  }
}
