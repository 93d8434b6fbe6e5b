/**
 * A document as the app shows it, from what is typed. The picture is drawn: nothing is fetched from another host, and
 * what stands there tells where it would come from.
 *
 * A model has a preview where its declaration has a picture; the card shows those of its parts that the model has.
 */
import type { Json } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { isMembers, labelOf, type Members } from '../../any-documents.ts'
import { t } from '../../texts.ts'
import { fill, h, webUrl, type Child } from '../../kit/dom.ts'
import { ago } from '../../kit/moments.ts'

const PICTURE = /^(image|icon|flag)Url$/

export function previewOf(model: Model) {
  const picture = Object.keys(model.fields).find((name) => PICTURE.test(name))
  if (picture === undefined) return undefined
  const card = h('article', { class: picture === 'imageUrl' ? 'app-card' : 'app-card small' })
  return {
    element: h('section', { class: 'preview' }, h('h2', {}, t('editor.preview')), card),
    update: (document: Members) => void fill(card, cardOf(document, picture)),
  }
}

function cardOf(document: Members, picture: string): Child {
  const { source, topic, eventCountry, updatedAt, isoCode } = document
  const about = document['excerpt'] ?? document['description']
  const places = [nameOf(topic), nameOf(eventCountry), typeof isoCode === 'string' ? isoCode : '']
  const chips = places.filter((name) => name !== '')
  return [
    tile(document, picture),
    h(
      'div',
      { class: 'app-card-text' },
      source === undefined ? null : line('app-card-source', nameOf(source)),
      h('p', { class: 'app-card-title', dir: 'auto' }, labelOf({ ...document, id: '–' })),
      typeof about === 'string' ? line('app-card-about', about) : null,
      h(
        'p',
        { class: 'app-card-foot' },
        chips.map((name) => h('span', { dir: 'auto' }, name)),
        picture === 'imageUrl' && (typeof updatedAt === 'string' ? ago(updatedAt) : h('span', {}, t('editor.now'))),
      ),
    ),
  ]
}

function tile(document: Members, picture: string): HTMLElement {
  const url = webUrl(String(document[picture] ?? ''))
  const letter = [...labelOf(document).trim()][0] ?? ''
  return h(
    'div',
    { class: url === undefined ? 'tile empty' : 'tile' },
    h('span', { class: 'tile-letter', 'aria-hidden': 'true' }, letter.toUpperCase()),
    h('span', { class: 'tile-host' }, url === undefined ? t('editor.noPicture') : new URL(url).host),
  )
}

function line(name: string, text: string): HTMLElement | null {
  return text.trim() === '' ? null : h('p', { class: name, dir: 'auto' }, text)
}

function nameOf(value: Json | undefined): string {
  return isMembers(value) ? labelOf(value) : ''
}
