/**
 * A document as the app shows it, from what is typed.
 *
 * A model has a preview where its declaration has a picture; the card shows those of its parts that the model has.
 */
import type { Json } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { isMembers, labelOf, type Members } from '../../any-documents.ts'
import { t } from '../../texts.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import { ago } from '../../kit/moments.ts'
import { pictureField } from '../../pictures.ts'
import { previewPicture } from './preview-picture.ts'

export function previewOf(model: Model, signal: AbortSignal) {
  const field = pictureField(model)
  if (field === undefined) return undefined
  const picture = previewPicture(field, signal)
  const text = h('div', { class: 'app-card-text' })
  const card = h('article', { class: field === 'imageUrl' ? 'app-card' : 'app-card small' }, picture.element, text)
  return {
    element: h('section', { class: 'preview' }, h('h2', {}, t('editor.preview')), card),
    /** What is wrong with the picture. */
    problem: picture.problem,
    update(document: Members): void {
      picture.update(document)
      fill(text, textOf(document, field))
    },
  }
}

function textOf(document: Members, field: string): Child {
  const { source, topic, eventCountry, updatedAt, isoCode } = document
  const about = document['excerpt'] ?? document['description']
  const places = [nameOf(topic), nameOf(eventCountry), typeof isoCode === 'string' ? isoCode : '']
  const chips = places.filter((name) => name !== '')
  return [
    source === undefined ? null : line('app-card-source', nameOf(source)),
    h('p', { class: 'app-card-title', dir: 'auto' }, labelOf({ ...document, id: '–', status: null })),
    typeof about === 'string' ? line('app-card-about', about) : null,
    h(
      'p',
      { class: 'app-card-foot' },
      chips.map((name) => h('span', { dir: 'auto' }, name)),
      field === 'imageUrl' && (typeof updatedAt === 'string' ? ago(updatedAt) : h('span', {}, t('editor.now'))),
    ),
  ]
}

function line(name: string, text: string): HTMLElement | null {
  return text.trim() === '' ? null : h('p', { class: name, dir: 'auto' }, text)
}

function nameOf(value: Json | undefined): string {
  return isMembers(value) ? labelOf(value) : ''
}
