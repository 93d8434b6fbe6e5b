/** The form of a document: its text in the middle, and beside it what it is filed under, its picture and its times. */
import type { Model } from '../../../models/schema.ts'
import { t } from '../../texts.ts'
import { h } from '../../kit/dom.ts'
import type { Draft } from './draft.ts'
import { editorParts } from './editor-parts.ts'
import type { previewOf } from './preview-card.ts'

export type EditorForm = ReturnType<typeof editorForm>

export interface EditorFormOptions {
  readonly model: Model
  readonly draft: Pick<Draft, 'elements' | 'extras'>
  readonly preview: ReturnType<typeof previewOf>
  /** What is to be filled in before it can be published. */
  readonly missing: HTMLElement
  /** After the reader has left a field. */
  readonly onMoved: () => void
}

export function editorForm({ model, draft, preview, missing, onMoved }: EditorFormOptions) {
  const { title, lead, taxonomy, picture, times } = editorParts(model)
  const { elements } = draft
  const on = { focusout: onMoved }
  const beside = new Set([...taxonomy, ...(picture === undefined ? [] : [picture]), ...times])
  const middle = [...elements].flatMap(([name, element]) => (beside.has(name) || name === title || name === lead ? [] : [element]))
  const pictureField = picture === undefined ? undefined : elements.get(picture)
  // What is wrong with the picture is said where its address is written.
  if (preview !== undefined) pictureField?.append(preview.problem)

  function part(name: string | undefined, fields: readonly (HTMLElement | undefined)[], ...rest: readonly (HTMLElement | undefined)[]): HTMLElement | null {
    const found = fields.filter((one) => one !== undefined)
    return found.length === 0 ? null : h('section', { class: 'editor-part' }, name !== undefined && h('h2', {}, name), h('div', { class: 'form', on }, found), rest)
  }

  const aside = h(
    'aside',
    { class: 'editor-aside' },
    missing,
    part(t('editor.taxonomy'), taxonomy.map((name) => elements.get(name))),
    part(undefined, [pictureField], preview?.element),
    part(t('editor.times'), times.map((name) => elements.get(name))),
  )
  const writing = h('div', { class: 'card form writing', on }, [title, lead].map((name) => elements.get(name ?? '')), middle, draft.extras)
  return { columns: h('div', { class: 'editor-columns' }, writing, aside), aside }
}
