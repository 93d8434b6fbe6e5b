/** The settings in use, and where each comes from; to be searched. Secrets arrive masked. */
import type { ServiceSettings } from '../../../models/responses.ts'
import { mergeQuery } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { fill, h } from '../../kit/dom.ts'
import { code, searchInput } from '../../kit/elements.ts'
import { emptyState } from '../../kit/states.ts'
import { readInto } from '../../kit/read-into.ts'
import type { OpenPart } from './part.ts'
import { recordsTable } from './records-table.ts'
import { settingsWith } from './settings-search.ts'

export const settingsPart: OpenPart = (context) => {
  let items: ServiceSettings['items'] = []
  const content = h('div')
  const search = searchInput({
    'aria-label': t('settings.search'),
    placeholder: t('settings.search'),
    value: context.screenUrl.query.get('q') ?? '',
    on: {
      input() {
        mergeQuery({ q: search.value.trim() })
        fill(content, table())
      },
    },
  })
  const table = (): HTMLElement => {
    const found = settingsWith(items, search.value)
    return found.length === 0 ? emptyState('search', t('settings.none', { text: search.value.trim() })) : show(found)
  }
  readInto(context, {
    element: content,
    lines: 14,
    read: (options) => context.client.admin.settings(options),
    show(found) {
      items = found.items
      return table()
    },
  })
  return { element: h('div', { class: 'part' }, h('div', { class: 'part-tools' }, search), content), search }
}

function show(items: ServiceSettings['items']): HTMLElement {
  return recordsTable(
    t('operations.settings'),
    [
      { title: t('settings.setting'), kind: 'code', cell: ({ flag, name }) => code(flag ?? name) },
      { title: t('settings.value'), kind: 'code', cell: ({ value }) => code(value) },
      {
        title: t('settings.origin'),
        cell: ({ origin }) =>
          origin === 'default' ? h('span', { class: 'soft' }, t('settings.default')) : code(origin),
      },
      { title: t('settings.meaning'), cell: ({ meaning }) => h('span', { lang: 'en', dir: 'ltr' }, meaning) },
    ],
    items,
  )
}
