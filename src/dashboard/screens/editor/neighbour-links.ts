/** To the next document and the one before, in the order of the list from which the editor was opened. */
import { neighbours } from '../../list-trail.ts'
import { pathOf } from '../../model-titles.ts'
import { goTo, hrefTo } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import type { Model } from '../../../models/schema.ts'
import { fill, h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'

const SIDES = ['previous', 'next'] as const
type Side = (typeof SIDES)[number]

export function neighbourLinks(model: Model, signal: AbortSignal) {
  const element = h('div', { class: 'steps' })
  let hrefs: Readonly<Partial<Record<Side, string>>> = {}
  let shown: string | undefined

  async function show(id: string): Promise<void> {
    // An editor is whole without them.
    const found = await neighbours(model.name, id, signal).catch(() => undefined)
    if (signal.aborted || shown !== id || found === undefined) return
    hrefs = Object.fromEntries(SIDES.flatMap((side) => (found[side] === undefined ? [] : [[side, hrefTo([pathOf(model), found[side]])]])))
    fill(element, SIDES.map((side) => stepLink(side, hrefs[side])))
  }

  return {
    element,
    /** Undefined for a document that is not stored yet. */
    update(id: string | undefined): void {
      if (id === shown) return
      shown = id
      hrefs = {}
      fill(element)
      if (id !== undefined) void show(id)
    },
    go(side: Side): void {
      const href = hrefs[side]
      if (href !== undefined) goTo(href)
    },
  }
}

/** At an end of the list there is no link; its place stays, so that the other one does not move. */
function stepLink(side: Side, href: string | undefined): HTMLElement {
  const sign = icon(side === 'next' ? 'down' : 'up')
  if (href === undefined) return h('span', { class: 'step' }, sign)
  return h('a', { class: 'step', href, 'aria-label': t(`editor.${side}`), title: t(`editor.${side}`) }, sign)
}
