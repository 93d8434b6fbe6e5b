/** How often each limit has rejected a request. */
import type { ServiceStatus } from '../../../models/responses.ts'
import { humanized } from '../../model-titles.ts'
import { numberText, t, textOr } from '../../texts.ts'
import { h } from '../../kit/dom.ts'
import { tag } from '../../kit/elements.ts'
import { readInto } from '../../kit/read-into.ts'
import type { OpenPart } from './part.ts'
import { recordsTable } from '../../kit/table/records-table.ts'

export const limitsPart: OpenPart = (context) => {
  const content = h('div')
  readInto(context, { element: content, lines: 7, read: (options) => context.client.admin.status(options), show })
  return { element: h('div', { class: 'part narrow' }, h('p', { class: 'soft' }, t('limits.about')), content) }
}

function show({ limits }: ServiceStatus): HTMLElement {
  const rows = limits.toSorted((a, b) => b.refused - a.refused)
  return recordsTable(
    t('operations.limits'),
    [
      { title: t('limits.limit'), cell: ({ name }) => textOr(`limit.${name}`, humanized(name)) },
      {
        title: t('refused'),
        kind: 'number',
        cell: ({ refused }) => (refused === 0 ? h('span', { class: 'soft' }, '0') : tag('warn', numberText(refused))),
      },
    ],
    rows,
  )
}
