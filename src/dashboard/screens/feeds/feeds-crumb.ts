/** The way back to all feeds. */
import { FEEDS, hrefTo } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'

export function feedsCrumb(): HTMLElement {
  return h('a', { class: 'crumb', href: hrefTo([FEEDS]) }, icon('back'), t('models.feed'))
}
