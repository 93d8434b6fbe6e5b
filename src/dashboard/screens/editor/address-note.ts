/** Tells beside the address of a document, while it is typed, which others have it already. Saving goes on as ever. */
import type { DuplicateDocuments } from '../../../models/responses.ts'
import type { Model } from '../../../models/schema.ts'
import type { Documents } from '../../any-documents.ts'
import { pathOf } from '../../model-titles.ts'
import { hrefTo } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { debouncedRequest } from '../../timing.ts'
import { fill, h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { statusTag } from '../../kit/status-tag.ts'

const TYPING_MS = 400

export interface WatchedAddress {
  readonly model: Model
  readonly documents: Documents
  /** Of the document, once it is stored. */
  readonly id: () => string | undefined
  readonly signal: AbortSignal
}

/** Watches the field of the address in a form; a model without addresses has none. */
export function watchAddress(form: HTMLElement, { model, documents, id, signal }: WatchedAddress): void {
  const { name } = model
  const input = form.querySelector<HTMLInputElement>('input[name="url"]')
  if ((name !== 'headline' && name !== 'source') || input === null) return
  const text = t(`sameAddress.${name}`)
  const note = h('div', { class: 'same-address', 'aria-live': 'polite' })
  input.closest('.field')?.append(note)
  let shown = ''

  const look = debouncedRequest(TYPING_MS, signal, async (current) => {
    try {
      const url = input.value.trim()
      const { items } = url === '' ? { items: [] } : await documents.duplicates({ url, except: id(), incomplete: true }, { signal: current })
      if (!current.aborted) draw(items)
    } catch {
      // What was found for an address before is not of this one. Saving does not depend on it.
      if (!current.aborted) draw([])
    }
  })

  /** What is shown already is not announced again. */
  function draw(items: DuplicateDocuments['items']): void {
    const now = items.map((item) => item.id).join()
    if (now === shown) return
    shown = now
    const links = items.map((item) =>
      h(
        'li',
        {},
        // In a tab of its own: what is typed here stays.
        h('a', { href: hrefTo([pathOf(model), item.id]), target: '_blank', dir: 'auto' }, item.title || item.url, icon('external')),
        item.status !== 'active' && statusTag(item.status),
      ),
    )
    fill(note, items.length > 0 && [h('p', {}, text), h('ul', {}, links)])
  }

  input.addEventListener('input', () => look())
  // A copy of another document has its address from the beginning.
  if (id() === undefined && input.value !== '') look.now()
}
