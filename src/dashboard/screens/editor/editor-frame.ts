/** What surrounds a form: the way back, what is stored and can be done with it, and facts about the document. */
import { isAdmin, type Caller } from '../../../models/caller.ts'
import type { Model } from '../../../models/schema.ts'
import { labelOf, type Members, type StoredDocument } from '../../any-documents.ts'
import { trailHref } from '../../list-trail.ts'
import { fieldTitle, modelsTitle, newTitle, pathOf } from '../../model-titles.ts'
import { may } from '../../permissions.ts'
import { mayDelete } from '../../review-duty.ts'
import { hrefTo } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { copyButton } from '../../kit/copy-button.ts'
import { fill, h } from '../../kit/dom.ts'
import { code, crumb, facts } from '../../kit/elements.ts'
import { icon } from '../../kit/icons.ts'
import { menuButton, type MenuItem } from '../../kit/menu-button.ts'
import { dateTime } from '../../kit/moments.ts'
import { scheduledTag, statusCell } from '../../kit/status-tag.ts'
import type { EditorForm } from './editor-form.ts'
import { publishControl } from './publish-control.ts'
import type { PublishState, PublishStep } from './publish-plan.ts'

export interface FrameOptions {
  readonly model: Model
  readonly user: Caller
  readonly signal: AbortSignal
  /** The form, as its parts are arranged. */
  readonly form: EditorForm
  readonly problems: HTMLElement
  /** What happens to the document elsewhere. */
  readonly live: HTMLElement
  /** To the documents before and behind it. */
  readonly steps: HTMLElement
  /** Who else edits it. */
  readonly presence: HTMLElement
  /** Where the document is used. */
  readonly usage: HTMLElement
  readonly views: { readonly element: HTMLElement; readonly place: HTMLElement }
  /** Does a step of the publish control. */
  run(step: PublishStep): void
  duplicate(): void
  remove(): void
  showJson(): void
}

interface Marks {
  readonly isUnsaved: boolean
  readonly isSaving: boolean
  /** What the publish control goes by. */
  readonly publishing: PublishState
}

export function editorFrame(options: FrameOptions) {
  const { model, user, signal, form, problems, live, steps, presence, usage, views, run, duplicate, remove, showJson } = options
  const heading = h('h1', { class: 'spoken', dir: 'auto' })
  const tag = h('span', {})
  const state = h('span', { class: 'soft' })
  const publish = publishControl({ run, signal })
  const facts = h('div', { class: 'editor-facts' })
  let shown: StoredDocument | undefined
  const more = menuButton({ label: icon('more'), name: t('editor.more'), items: moreItems, signal, kind: 'plain' }).element
  form.aside.append(facts)

  function moreItems(): readonly MenuItem[] {
    if (shown === undefined) return []
    return [
      ...(may('create', model, user) ? [{ label: t('editor.duplicate'), icon: 'copy', run: duplicate } as const] : []),
      { label: t('editor.json'), icon: 'docs', run: showJson },
      // The records of the audit trail that are about the document.
      ...(isAdmin(user) ? [{ label: t('operations.audit'), icon: 'operations', href: hrefTo(['operations'], { part: 'audit', document: shown.id }) } as const] : []),
      ...(may('remove', model, user) && mayDelete(model, user, shown['status']) ? [{ label: t('delete'), icon: 'trash', isRisky: true, run: remove } as const] : []),
    ]
  }

  return {
    element: h(
      'div',
      { class: 'editor-frame' },
      h(
        'div',
        { class: 'editor-bar' },
        editorCrumb(model),
        h('p', { class: 'editor-state' }, tag, state),
        ...[steps, more, views.element, publish.element, presence, live, problems],
      ),
      heading,
      form.columns,
      views.place,
    ),
    title: () => heading.textContent,
    /** Beside its history, the title of the document is not in a field. */
    showTitle: (isShown: boolean): void => void heading.classList.toggle('spoken', !isShown),
    /** Shows what is stored; undefined for a new document. */
    draw(stored: StoredDocument | undefined): void {
      shown = stored
      fill(heading, stored === undefined ? newTitle(model) : labelOf(stored))
      fill(tag, stored !== undefined && (scheduledTag(stored) ?? statusCell(stored)))
      more.hidden = stored === undefined
      if (stored !== undefined) fill(facts, h('h2', {}, t('editor.facts')), documentFacts(stored), usage)
    },
    mark({ isUnsaved, isSaving, publishing }: Marks): void {
      fill(state, isSaving ? t('editor.saving') : isUnsaved ? t('editor.unsaved') : publishing.status === undefined && t('lines.hint'))
      publish.draw(publishing)
      publish.markBusy(isSaving)
    },
  }
}

/** The way back to the list, as it was left. */
export function editorCrumb(model: Model): HTMLElement {
  return crumb(trailHref(model.name) ?? hrefTo([pathOf(model)]), modelsTitle(model))
}

/** What the server says of a document. */
function documentFacts(document: Members): HTMLElement {
  const id = String(document['id'])
  const dates = ['createdAt', 'updatedAt'].map((name) => typeof document[name] === 'string' && ([fieldTitle(name), dateTime(document[name])] as const))
  return facts([t('field.id'), h('span', { class: 'with-copy' }, code(id), copyButton(() => id, { isSmall: true }))], ...dates)
}
