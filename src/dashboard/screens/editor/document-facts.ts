/** What the server says of a document. */
import type { Members } from '../../any-documents.ts'
import { fieldTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'
import { copyButton } from '../../kit/copy-button.ts'
import { h } from '../../kit/dom.ts'
import { dateTime } from '../../kit/moments.ts'

export function documentFacts(document: Members): HTMLElement {
  const id = String(document['id'])
  const date = (name: string): readonly HTMLElement[] | null => {
    const value = document[name]
    return typeof value === 'string' ? [h('dt', {}, fieldTitle(name)), h('dd', {}, dateTime(value))] : null
  }
  return h(
    'dl',
    { class: 'given' },
    h('dt', {}, t('field.id')),
    h(
      'dd',
      { class: 'with-copy' },
      h('code', { dir: 'ltr' }, id),
      copyButton(() => id, { isSmall: true }),
    ),
    date('createdAt'),
    date('updatedAt'),
  )
}
