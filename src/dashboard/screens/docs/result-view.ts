/** Documents that a filter found, each folded behind its title. */
import type { Json } from '../../../client/client.ts'
import { isMembers, labelOf } from '../../any-documents.ts'
import { h, type Child } from '../../kit/dom.ts'
import { lazyDetails } from './lazy-details.ts'
import { longText } from './reply-view.ts'

export function resultView(items: readonly Json[], hasMore: boolean): Child {
  const count = items.length === 1 ? '1 document' : `${items.length} documents`
  return h(
    'div',
    { class: 'found' },
    h('h3', {}, hasMore ? `${count}, and more` : count),
    items.length === 0 ? h('p', { class: 'soft' }, 'Nothing fulfils the filter.') : null,
    items.map((item) =>
      lazyDetails({
        summary: h('bdi', {}, isMembers(item) ? labelOf(item) : String(item)),
        kind: 'nested',
        body: () => longText(JSON.stringify(item, null, 2), 'Document'),
      }),
    ),
  )
}
