/** The way to the queue of review in the navigation, with how many drafts wait, where review is on. */
import { MODELS } from '../models/registry.ts'
import { isReviewed } from '../models/workflow.ts'
import type { ScreenContext } from './screen.ts'
import { hrefTo, currentScreenUrl } from './screen-url.ts'
import { numberText, t } from './texts.ts'
import { atMostEvery } from './timing.ts'
import { fill, h } from './kit/dom.ts'
import { icon } from './kit/icons.ts'

/** The path of the queue. */
const REVIEW = 'review'
const LOOK_MS = 1_000

export function followReviews({ client, live, signal }: Pick<ScreenContext, 'client' | 'live' | 'signal'>): void {
  const number = h('span', { class: 'number' })
  const link = h('a', { href: hrefTo([REVIEW]), class: 'review-link' }, icon('check'), h('span', {}, t('review.title')), number)
  const item = h('li', {}, link)
  const look = atMostEvery(LOOK_MS, signal, () => void read().catch(() => {}))
  live.watch(look, signal, ({ model }) => REVIEWED.has(model))
  addEventListener('hashchange', mark, { signal })
  look()

  async function read(): Promise<void> {
    const { isOn, total } = await client.dashboard.reviews({ signal })
    if (isOn && !item.isConnected) document.querySelector('#navigation [data-group="planning"]')?.append(item)
    if (!isOn) item.remove()
    fill(number, total > 0 && numberText(total))
    number.title = t('review.waiting', { count: total })
    mark()
  }

  function mark(): void {
    const isCurrent = currentScreenUrl().segments[0] === REVIEW
    if (isCurrent) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
}

const REVIEWED: ReadonlySet<string> = new Set(MODELS.filter(isReviewed).map(({ name }) => name))
