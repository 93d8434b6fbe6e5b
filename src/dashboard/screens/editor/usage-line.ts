/** Where a document is used, and how far the copies in other documents have followed a change of it. */
import type { DocumentUsage } from '../../../models/responses.ts'
import { modelNamed } from '../../../models/registry.ts'
import type { Model } from '../../../models/schema.ts'
import type { Documents } from '../../any-documents.ts'
import { countTitle, humanized, pathOf } from '../../model-titles.ts'
import { hrefTo } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { after } from '../../timing.ts'
import { fill, h } from '../../kit/dom.ts'

/** How often progress is looked at. */
const LOOK_MS = 700

/** Stands where links are put in a text. */
const PLACE = '\u0000'

export interface UsageLineOptions {
  readonly model: Model
  readonly documents: Documents
  readonly signal: AbortSignal
}

/** Draws it into an element. */
export function usageLine(element: HTMLElement, { model, documents, signal }: UsageLineOptions) {
  let shown: string | undefined
  let cancel = (): void => {}

  async function look(id: string): Promise<void> {
    try {
      const usage = await documents.usage(id, { incomplete: true, signal })
      if (signal.aborted || shown !== id) return
      draw(id, usage)
      if (usage.following !== null) cancel = after(LOOK_MS, () => void look(id))
    } catch {
      // It is said beside facts that are there without it.
      fill(element)
    }
  }

  function draw(id: string, { items, following }: DocumentUsage): void {
    const used = items.filter(({ total }) => total > 0)
    const { done = 0, total = 0 } = following ?? {}
    const [before = '', behind = ''] = t('usage.in', { what: PLACE }).split(PLACE)
    fill(
      element,
      items.length > 0 && h('p', {}, used.length === 0 ? t('usage.none') : [before, used.map((item, i) => [i > 0 && ' · ', linkTo(item, model, id)]), behind]),
      following !== null &&
        h(
          'p',
          { class: 'soft', role: 'status' },
          h('progress', { max: String(total), value: String(done), 'aria-label': t('usage.progress') }),
          t('usage.following', { done, total }),
        ),
    )
  }

  return {
    /** Reads it now; undefined for a document that is not stored yet. */
    show(id: string | undefined): void {
      cancel()
      shown = id
      if (id === undefined) fill(element)
      else void look(id)
    },
  }
}

/** `412 headlines`, `more than 100,000 headlines` */
export function titleOf({ model, total, totalIsFloor }: DocumentUsage['items'][number]): string {
  const known = modelNamed(model)
  const title = known === undefined ? humanized(model) : countTitle(known, total)
  return totalIsFloor ? t('usage.more', { items: title }) : title
}

/** To the list of these documents, where it can be filtered by the one that they use. */
function linkTo(item: DocumentUsage['items'][number], model: Model, id: string): HTMLElement | string {
  const holder = modelNamed(item.model)
  const [member] = Object.entries(holder?.fields ?? {}).find(([, field]) => field.kind === 'embedded' && field.model === model) ?? []
  if (holder === undefined || member === undefined || holder.owned === true) return titleOf(item)
  return h('a', { href: hrefTo([pathOf(holder)], { [member]: id }) }, titleOf(item))
}
