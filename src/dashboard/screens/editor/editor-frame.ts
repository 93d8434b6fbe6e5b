/** What stands around a form: title, actions that stay in sight, and beside it the preview and what else there is. */
import { isAdmin, type Caller } from '../../../models/caller.ts'
import type { Model } from '../../../models/schema.ts'
import { STATUSES } from '../../../models/status.ts'
import { labelOf, type StoredDocument } from '../../any-documents.ts'
import { modelsTitle, modelTitle, pathOf } from '../../model-words.ts'
import { may } from '../../permissions.ts'
import { hrefTo } from '../../places.ts'
import { t, type TextKey } from '../../texts.ts'
import { fill, h } from '../../kit/dom.ts'
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

  const button = (words: string, iconName: IconName | undefined, run: () => void, kind = ''): HTMLElement =>
    h(
      'button',
      { type: 'button', class: kind, on: { click: run } },
      iconName === undefined ? null : icon(iconName),
      words,
    )

  let drawn: string | undefined | null = null

  function drawButtons(status: string | undefined): void {
    if (status === drawn) return
    drawn = status
    const hadFocus = buttons.contains(document.activeElement)
    const others = STATUSES.filter((one) => one !== status)
    fill(
      buttons,
      status === undefined
        ? [
            button(t('editor.saveDraft'), undefined, () => save('draft')),
            button(t('turn.active'), 'publish', () => save('active'), 'primary'),
          ]
        : [
            others.toReversed().map((one) => button(t(ACTIONS[one].words), ACTIONS[one].icon, () => save(one))),
            button(t('save'), 'check', () => save(), 'primary'),
          ],
    )
    if (hadFocus && buttons.lastElementChild instanceof HTMLElement) buttons.lastElementChild.focus()
  }

  function drawFacts(stored: StoredDocument): void {
    fill(
      facts,
      h('h2', {}, t('editor.facts')),
      documentFacts(stored),
      h(
        'div',
        { class: 'buttons' },
        button(t('editor.json'), 'docs', showJson, 'small'),
        may('create', model, user) ? button(t('editor.duplicate'), 'copy', duplicate, 'small') : null,
        isAdmin(user)
          ? h('a', { class: 'button small', href: trailHref(stored) }, icon('operations'), t('editor.trail'))
          : null,
        may('remove', model, user) ? button(t('delete'), 'trash', remove, 'small risky') : null,
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

/** The records of the audit trail that are about a document. */
function trailHref({ id }: StoredDocument): string {
  return hrefTo(['operations'], { part: 'audit', document: id })
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
