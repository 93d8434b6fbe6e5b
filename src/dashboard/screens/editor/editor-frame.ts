/** What surrounds a form: title, actions that stay in sight, and beside it the preview and facts about the document. */
import { isAdmin, type Caller } from '../../../models/caller.ts'
import type { Model } from '../../../models/schema.ts'
import { STATUSES } from '../../../models/status.ts'
import { labelOf, type StoredDocument } from '../../any-documents.ts'
import { modelsTitle, modelTitle, pathOf } from '../../model-titles.ts'
import { may } from '../../permissions.ts'
import { handsIn, mayDelete, maySetStatus } from '../../review-duty.ts'
import { hrefTo } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { button, fill, h, type Child } from '../../kit/dom.ts'
import { keepFocus } from '../../kit/focus.ts'
import { icon, type IconName } from '../../kit/icons.ts'
import { shortTime } from '../../kit/moments.ts'
import { scheduledTag, statusAction, statusCell } from '../../kit/status-tag.ts'
import { documentFacts } from './document-facts.ts'

export interface FrameOptions {
  readonly model: Model
  readonly user: Caller
  readonly fields: HTMLElement
  readonly problems: HTMLElement
  /** What happens to the document elsewhere. */
  readonly live: HTMLElement
  /** Where the document is used. */
  readonly usage: HTMLElement
  readonly views: { readonly element: HTMLElement; readonly place: HTMLElement }
  readonly preview: HTMLElement | undefined
  /** What is to be filled in before it can be published. */
  readonly missing: HTMLElement
  /** Saves with this status, or with the one that it has. */
  save(as?: string): void
  duplicate(): void
  remove(): void
  showJson(): void
}

interface Marks {
  readonly isUnsaved: boolean
  readonly isSaving: boolean
  readonly plannedAt: string | undefined
}

export function editorFrame(options: FrameOptions) {
  const { model, user, fields, problems, live, usage, views, preview, missing, save, duplicate, remove, showJson } = options
  const heading = h('h1', { dir: 'auto' })
  const tag = h('span', {})
  const state = h('span', { class: 'soft' })
  const buttons = h('div', { class: 'buttons end' })
  const facts = h('div', { class: 'editor-facts' })
  const columns = h('div', { class: 'editor-columns' }, fields, h('aside', { class: 'editor-aside' }, missing, preview, facts))
  let [drawn, isNew] = ['', true]

  /** The status is undefined for a new document. */
  function drawButtons(status: string | undefined): void {
    const key = `${status} ${handsIn(model, user)}`
    if (key === drawn) return
    drawn = key
    const may = (to: string): boolean => maySetStatus(model, user, { from: status, to })
    const [main, ...others] = status === undefined ? firstActions(save, may) : actionsFrom(status, save, may)
    keepFocus(
      buttons,
      () => fill(buttons, others, main),
      () => (main ?? heading).focus(),
    )
  }

  function drawFacts(stored: StoredDocument): void {
    // The records of the audit trail that are about the document.
    const trail = hrefTo(['operations'], { part: 'audit', document: stored.id })
    fill(
      facts,
      h('h2', {}, t('editor.facts')),
      documentFacts(stored),
      usage,
      h(
        'div',
        { class: 'buttons' },
        action(t('editor.json'), 'docs', showJson, 'small'),
        may('create', model, user) && action(t('editor.duplicate'), 'copy', duplicate, 'small'),
        isAdmin(user) && h('a', { class: 'button small', href: trail }, icon('operations'), t('editor.trail')),
        may('remove', model, user) && mayDelete(model, user, stored['status']) && action(t('delete'), 'trash', remove, 'small risky'),
      ),
    )
  }

  return {
    element: h(
      'div',
      { class: 'editor-frame' },
      editorCrumb(model),
      heading,
      h('div', { class: 'editor-bar' }, h('p', { class: 'editor-state' }, tag, state), views.element, buttons, live, problems),
      columns,
      views.place,
    ),
    columns,
    title: () => heading.textContent,
    /** Shows what is stored; undefined for a new document. */
    draw(stored: StoredDocument | undefined, status: string): void {
      fill(heading, stored === undefined ? newTitle(model) : labelOf(stored))
      fill(tag, stored !== undefined && (scheduledTag(stored) ?? statusCell(stored)))
      isNew = stored === undefined
      drawButtons(stored && status)
      if (stored !== undefined) drawFacts(stored)
    },
    /** `plannedAt` is when the form says that a draft is to be published. */
    mark({ isUnsaved, isSaving, plannedAt }: Marks): void {
      fill(state, isSaving ? t('editor.saving') : isUnsaved ? t('editor.unsaved') : isNew && t('lines.hint'))
      for (const one of buttons.children) one.setAttribute('aria-busy', String(isSaving))
      const label = buttons.querySelector('.publish')
      if (label !== null) fill(label, statusAction('active')[0], plannedAt !== undefined && [' · ', shortTime(plannedAt)])
    },
  }
}

/** The main one first. */
type Actions = readonly HTMLElement[]
type MayTurn = (status: string) => boolean

/** What can be done with a new document. */
function firstActions(save: FrameOptions['save'], may: MayTurn): Actions {
  const publish = may('active')
  return [
    ...(publish ? [statusButton('active', save, 'primary')] : []),
    button(t('editor.saveDraft'), () => save('draft'), { class: publish ? undefined : 'primary' }),
  ]
}

/** What can be done with a document of this status. */
function actionsFrom(status: string, save: FrameOptions['save'], may: MayTurn): Actions {
  const others = STATUSES.filter((one) => one !== status && may(one)).toReversed()
  return [
    ...(may(status) ? [action(t('save'), 'check', () => save(), 'primary')] : []),
    ...others.map((one) => statusButton(one, save)),
  ]
}

function statusButton(to: string, save: FrameOptions['save'], kind?: string): HTMLElement {
  const [label, iconName] = statusAction(to)
  return action(to === 'active' ? h('span', { class: 'publish' }, label) : label, iconName, () => save(to), kind)
}

function action(label: Child, iconName: IconName, run: () => void, kind?: string): HTMLElement {
  return button([icon(iconName), label], run, { class: kind })
}

/** The way back to the list. */
export function editorCrumb(model: Model): HTMLElement {
  return h('a', { class: 'crumb', href: hrefTo([pathOf(model)]) }, icon('back'), modelsTitle(model))
}

/** What the page calls a document that is not stored yet. */
export function newTitle(model: Model): string {
  const name = modelTitle(model)
  return t('editor.new', { model: name, lower: name.toLowerCase() })
}
