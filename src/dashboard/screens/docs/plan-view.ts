/** The plan of a query: what it means, then the SQL and the alternatives that were weighed. */
import type { QueryPlan } from '../../../models/responses.ts'
import { h, type Child } from '../../kit/dom.ts'
import { indexFields, planLines } from './plan-lines.ts'
import { fold, longText } from './response-view.ts'

export function planView(plan: QueryPlan): Child {
  const { sql, values, weighed, access, index } = plan
  const head = ['Access', 'Cost'].map((title) => h('th', { scope: 'col' }, title))
  const rows = weighed.map((one) =>
    h(
      'tr',
      {},
      h(
        'td',
        {},
        one.index === null ? one.access : `${one.access}: ${indexFields(one.index)}`,
        one.access === access && one.index === index && h('strong', {}, ' (taken)'),
      ),
      h('td', {}, one.cost.toLocaleString('en')),
    ),
  )
  return [
    h(
      'dl',
      { class: 'plan' },
      planLines(plan).map(({ name, value, about, rating }) => [
        h('dt', {}, name),
        h('dd', { class: rating }, h('strong', {}, value), h('span', { class: 'soft' }, about)),
      ]),
    ),
    sql !== null &&
      fold('SQL', longText(sql, 'SQL'), values.length > 0 && h('p', { class: 'soft' }, `Values: ${values.join(', ')}`)),
    fold(`Weighed (${weighed.length})`, h('table', {}, h('thead', {}, h('tr', {}, head)), h('tbody', {}, rows))),
  ]
}
