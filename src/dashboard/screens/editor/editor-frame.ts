/** What stands around a form: title, actions that stay in sight, and beside it the preview and what else there is. */
import { isAdmin, type Caller } from '../../../models/caller.ts'
import type { Model } from '../../../models/schema.ts'
import { STATUSES } from '../../../models/status.ts'
import { labelOf, type StoredDocument } from '../../any-documents.ts'
import { modelsTitle, modelTitle, pathOf } from '../../model-words.ts'
import { may } from '../../permissions.ts'
import { hrefTo } from '../../places.ts'
import { t, type TextKey } from '../../texts.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { keepFocus } from '../../kit/focus.ts'
import { icon, type IconName } from '../../kit/icons.ts'
import { statusTag } from '../../kit/status-tag.ts'
import { documentFacts } from './document-facts.ts'

type Status = (typeof STATUSES)[number]

const ACTIONS: Readonly<Record<Status, { readonly words: TextKey; readonly icon: IconName }>> = {
  active: { words: 'turn.active', icon: 'publish' },
  draft: { words: 'turn.draft', icon: 'edit' },
  archived: { words: 'turn.archived', icon: 'archive' },
}

export interface FrameOptions {
  readonly model: Model
  readonly user: Caller
  readonly fields: HTMLElement
  readonly problems: HTMLElement
  readonly preview: HTMLElement | undefined
  /** Saves with this status, or with the one that it has. */
  save(as?: Status): void
  duplicate(): void
  remove(): void
  showJson(): void
}

export interface Frame {
  readonly element: HTMLElement
  title(): string
  /** Shows what is stored; undefined for a new document. */
  draw(stored: StoredDocument | undefined, status: string): void
  mark(state: { readonly isUnsaved: boolean; readonly isSaving: boolean }): void
}

export function editorFrame(options: FrameOptions): Frame {
  const { model, user, fields, problems, preview, save, duplicate, remove, showJson } = options
  const heading = h('h1', { dir: 'auto' })
  const tag = h('span', {})
  const state = h('span', { class: 'soft' })
  const buttons = h('div', { class: 'buttons end' })
  const facts = h('div', { class: 'editor-facts' })

  let drawn: string | undefined | null = null

  function drawButtons(status: string | undefined): void {
    if (status === drawn) return
    drawn = status
    const main = { class: 'primary' }
    const turn = (one: Status, attributes = {}): HTMLElement =>
      button([icon(ACTIONS[one].icon), t(ACTIONS[one].words)], () => save(one), attributes)
    const others = STATUSES.filter((one) => one !== status).toReversed()
    const [first, last] =
      status === undefined
        ? [button(t('editor.saveDraft'), () => save('draft')), turn('active', main)]
        : [others.map((one) => turn(one)), button([icon('check'), t('save')], () => save(), main)]
    keepFocus(
      buttons,
      () => fill(buttons, first, last),
      () => last.focus(),
    )
  }

  function drawFacts(stored: StoredDocument): void {
    const small = { class: 'small' }
    const trail = hrefTo(['operations'], { part: 'audit', document: stored.id })
    fill(
      facts,
      h('h2', {}, t('editor.facts')),
      documentFacts(stored),
      h(
        'div',
        { class: 'buttons' },
        button([icon('docs'), t('editor.json')], showJson, small),
        may('create', model, user) && button([icon('copy'), t('editor.duplicate')], duplicate, small),
        isAdmin(user) && h('a', { class: 'button small', href: trail }, icon('operations'), t('editor.trail')),
        may('remove', model, user) && button([icon('trash'), t('delete')], remove, { class: 'small risky' }),
      ),
    )
  }

  return {
    element: h(
      'div',
      { class: 'editor-frame' },
      editorCrumb(model),
      heading,
      h('div', { class: 'editor-bar' }, h('p', { class: 'editor-state' }, tag, state), buttons, problems),
      h('div', { class: 'editor-columns' }, fields, h('aside', { class: 'editor-aside' }, preview, facts)),
    ),
    title: () => heading.textContent,
    draw(stored, status) {
      fill(heading, stored === undefined ? newTitle(model) : labelOf(stored))
      fill(tag, stored === undefined ? null : statusTag(status))
      drawButtons(stored === undefined ? undefined : status)
      if (stored !== undefined) drawFacts(stored)
    },
    mark({ isUnsaved, isSaving }) {
      fill(state, isSaving ? t('editor.saving') : isUnsaved ? t('editor.unsaved') : null)
      for (const one of buttons.children) one.setAttribute('aria-busy', String(isSaving))
    },
  }
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
