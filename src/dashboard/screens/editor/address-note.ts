/** Tells beside the address and the name of a document, while they are typed, which others have them already. Saving goes on as ever. */
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
/** Documents of one name that are told. */
const NAMESAKES_MAX = 3

export interface WatchedAddress {
  readonly model: Model
  readonly documents: Documents
  /** Of the document, once it is stored. */
  readonly id: () => string | undefined
  readonly signal: AbortSignal
}

/** Watches the fields of a form that tell which document it is: its address, and the name of what others refer to. */
export function watchDuplicates(form: HTMLElement, options: WatchedAddress): void {
  const { model, documents, id } = options
  const { name } = model
  if (name === 'headline' || name === 'source') {
    const find: Find = async (url, signal) => (await documents.duplicates({ url, except: id(), incomplete: true }, { signal })).items
    watch(form, 'url', { ...options, text: t(`sameAddress.${name}`), find })
  }
  const find: Find = async (text, signal) => {
    const { items } = await documents.list({ filter: { name: text }, limit: NAMESAKES_MAX + 1 }, { signal })
    const others = items.filter((one) => one.id !== id()).slice(0, NAMESAKES_MAX)
    return others.map((one) => ({ id: one.id, title: text, url: '', status: String(one['status'] ?? '') }))
  }
  watch(form, 'name', { ...options, text: t('sameName'), find })
}

type Found = Pick<DuplicateDocuments['items'][number], 'id' | 'title' | 'url'> & { readonly status: string }
type Find = (text: string, signal: AbortSignal) => Promise<readonly Found[]>

interface Watched extends WatchedAddress {
  /** What is said of those that are found. */
  readonly text: string
  readonly find: Find
}

/** A form without the field has none of it. */
function watch(form: HTMLElement, field: string, { model, id, signal, text, find }: Watched): void {
  const input = form.querySelector<HTMLInputElement | HTMLTextAreaElement>(`[name="${field}"]`)
  if (input === null) return
  const note = h('div', { class: 'same-address', 'aria-live': 'polite' })
  input.closest('.field')?.append(note)
  let shown = ''

  const look = debouncedRequest(TYPING_MS, signal, async (current) => {
    try {
      const value = input.value.trim()
      const items = value === '' ? [] : await find(value, current)
      if (!current.aborted) draw(items)
    } catch {
      // What was found for a text before is not of this one. Saving does not depend on it.
      if (!current.aborted) draw([])
    }
  })

  /** What is shown already is not announced again. */
  function draw(items: readonly Found[]): void {
    const now = items.map((item) => item.id).join()
    if (now === shown) return
    shown = now
    const links = items.map((item) =>
      h(
        'li',
        { class: 'flow' },
        // In a tab of its own: what is typed here stays.
        h('a', { href: hrefTo([pathOf(model), item.id]), target: '_blank', dir: 'auto' }, item.title || item.url, icon('external')),
        item.status !== 'active' && statusTag(item.status),
      ),
    )
    fill(note, items.length > 0 && [h('p', {}, text), h('ul', {}, links)])
  }

  input.addEventListener('input', () => look())
  // A copy of another document has both from the beginning.
  if (id() === undefined && input.value !== '') look.now()
}
