/** What differs between two versions of a document, as the history and the queue of review show it. */
import type { Model } from '../../../models/schema.ts'
import { memberOf, type Members } from '../../any-documents.ts'
import { isSame } from '../../document-difference.ts'
import { fieldTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'
import { h, type Child } from '../../kit/dom.ts'
import { sentMembers } from './document-members.ts'
import { EMPTY, valueText } from './value-text.ts'

/** Each member that differs, before and after, as the dialog about two versions shows them; without a version before, its value. */
export function differenceOf(model: Model, before: Members | undefined, after: Members): Child {
  // No member and an empty text look the same.
  const shown = (one: Members, name: string): string => valueText(memberOf(one, name))
  const [old, now] = [before === undefined ? {} : sentMembers(model, before), sentMembers(model, after)]
  const names = [...new Set([...Object.keys(now), ...Object.keys(old)])].filter((name) => !isSame(memberOf(old, name), memberOf(now, name)) && (shown(old, name) !== EMPTY || shown(now, name) !== EMPTY))
  if (names.length === 0) return h('p', { class: 'soft' }, t('history.same'))
  return names.map((name) => {
    const side = (label: string | false, value: string, kind: string): HTMLElement =>
      h('div', { class: `side ${kind}` }, label !== false && h('strong', { class: 'soft' }, label), h('span', { class: 'side-value', dir: 'auto' }, value))
    return h(
      'section',
      { class: 'settle' },
      h('h2', {}, fieldTitle(name)),
      before !== undefined && side(t('history.before'), shown(old, name), 'old'),
      side(before !== undefined && t('history.after'), shown(now, name), 'new'),
    )
  })
}
