/** What is folded is made when it is opened for the first time: all schemas together would be thousands of elements. */
import { h, type Child } from '../../kit/dom.ts'

export interface LazyDetailsOptions {
  readonly summary: Child
  readonly id?: string
  readonly kind?: string
  body(): Child
}

export function lazyDetails({ summary, id, kind, body }: LazyDetailsOptions): HTMLDetailsElement {
  const content = h('div', { class: 'fold-body' })
  let isMade = false
  return h(
    'details',
    {
      id,
      class: `fold ${kind ?? ''}`.trim(),
      on: {
        toggle(event) {
          if (isMade || !(event.currentTarget as HTMLDetailsElement).open) return
          isMade = true
          content.append(h('div', {}, body()))
        },
      },
    },
    h('summary', {}, summary),
    content,
  )
}
