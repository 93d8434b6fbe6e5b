/** The plan of a query: what it means first, then the SQL and what else was weighed. */
import type { QueryPlan } from '../../../models/replies.ts'
import { h, type Child } from '../../kit/dom.ts'
import { lazyDetails } from './lazy-details.ts'
import { longText } from './reply-view.ts'
import { indexWords, planLines } from './plan-words.ts'

export function planView(plan: QueryPlan): Child {
  const { sql, values, weighed, access, index } = plan
  return [
    h(
      'dl',
      { class: 'plan-lines' },
      planLines(plan).map(({ name, value, about, judgement }) => [
        h('dt', {}, name),
        h('dd', { class: judgement }, h('strong', {}, value), h('span', { class: 'soft' }, about)),
      ]),
    ),
    sql === null
      ? null
      : lazyDetails({ summary: 'SQL', kind: 'nested', body: () => [longText(sql, 'SQL'), valueList(values)] }),
    lazyDetails({
      summary: `Weighed (${weighed.length})`,
      kind: 'nested',
      body: () =>
        h(
          'table',
          {},
          h('caption', { class: 'spoken' }, 'Ways that were weighed'),
          h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Way'), h('th', { scope: 'col' }, 'Cost'))),
          h(
            'tbody',
            {},
            weighed.map((one) =>
              h(
                'tr',
                {},
                h(
                  'td',
                  {},
                  one.index === null ? one.access : `${one.access}: ${indexWords(one.index)}`,
                  one.access === access && one.index === index ? h('strong', {}, ' (taken)') : null,
                ),
                h('td', { class: 'number' }, one.cost.toLocaleString('en')),
              ),
            ),
          ),
        ),
    }),
  ]
}

function valueList(values: readonly string[]): Child {
  if (values.length === 0) return null
  return h(
    'p',
    { class: 'soft' },
    'Values: ',
    values.map((value, position) => [position === 0 ? null : ', ', h('code', {}, value)]),
  )
}
