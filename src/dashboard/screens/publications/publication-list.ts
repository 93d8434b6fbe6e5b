/** Publications: one, a new one, or all of them with the addresses that readers use. */
import type { RequestOptions } from '../../../client/client.ts'
import { publication } from '../../../models/publication-model.ts'
import { documentsOf, type StoredDocument } from '../../any-documents.ts'
import { isBeingRemoved, onDocumentsChanged } from '../../changed-documents.ts'
import { fieldTitle, modelsTitle, modelTitle, valueTitle } from '../../model-titles.ts'
import type { OpenScreen, Screen, ScreenContext } from '../../screen.ts'
import { hrefTo, PUBLICATIONS } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { h, type Child } from '../../kit/dom.ts'
import { screenHead, tag } from '../../kit/elements.ts'
import { icon } from '../../kit/icons.ts'
import { readInto } from '../../kit/read-into.ts'
import { emptyState } from '../../kit/states.ts'
import { recordsTable } from '../../kit/table/records-table.ts'
import { addressLine } from './publication-address.ts'
import { publicationPage } from './publication-page.ts'

const LISTED_MAX = 100

interface Row {
  readonly document: StoredDocument
  readonly address: string | null
}

export const publicationsScreen: OpenScreen = (context) => {
  const part = context.screenUrl.segments[1]
  if (part === undefined) return publicationList(context)
  return publicationPage(context, part === 'new' ? undefined : part)
}

function publicationList(context: ScreenContext): Screen {
  const { client, signal } = context
  const title = modelsTitle(publication)
  const documents = documentsOf(client, publication)
  const body = h('div')
  const { refresh } = readInto(context, { element: body, lines: 6, read, show })
  onDocumentsChanged(refresh, signal)
  return {
    title,
    element: h(
      'section',
      { class: 'feeds' },
      screenHead(title, h('a', { class: 'button primary', href: hrefTo([PUBLICATIONS, 'new']) }, icon('plus'), t('publications.new'))),
      body,
    ),
  }

  async function read(options: RequestOptions): Promise<readonly Row[]> {
    const [{ items }, states] = await Promise.all([documents.list({ sort: 'title', limit: LISTED_MAX }, options), client.admin.publications(options)])
    const addresses = new Map(states.items.map(({ id, address }) => [id, address]))
    return items.map((document) => ({ document, address: addresses.get(document.id) ?? null }))
  }

  function show(found: readonly Row[]): Child {
    const rows = found.filter(({ document }) => !isBeingRemoved(document))
    if (rows.length === 0) return emptyState('publish', t('publications.empty'), h('p', {}, t('publications.about')))
    return recordsTable<Row>(
      title,
      [
        { title: modelTitle(publication), cell: ({ document }) => h('a', { href: hrefTo([PUBLICATIONS, document.id]) }, h('bdi', {}, String(document['title']))) },
        { title: fieldTitle('visibility'), cell: ({ document }) => tag(toneOf(document), document['isPaused'] === true ? fieldTitle('isPaused') : valueTitle(String(document['visibility']))) },
        { title: t('publications.address'), cell: ({ document, address }) => addressLine(address ?? `/p/${String(document['name'])}/…`, address !== null) },
      ],
      rows,
    )
  }
}

function toneOf({ isPaused, visibility }: StoredDocument): string {
  return isPaused === true ? 'warn' : visibility === 'public' ? 'good' : ''
}
