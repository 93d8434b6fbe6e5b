/** What differs between two versions of a document, as the history and the queue of review show it. */
import type { Json } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { isMembers, labelOf, memberOf, type Members } from '../../any-documents.ts'
import { isSame } from '../../document-difference.ts'
import { fieldTitle } from '../../model-titles.ts'
import { t, textOr } from '../../texts.ts'
import { h, type Child } from '../../kit/dom.ts'
import { dateTimeText } from '../../kit/moments.ts'
import { sentMembers } from './document-members.ts'

/** Stands for no value. */
const EMPTY = '–'

/** As stored dates are written. */
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

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

/** Dates in the reader's zone, values of a choice by their names, documents by theirs, other texts as they are, the rest as JSON. */
export function valueText(value: Json | undefined): string {
  if (value === undefined || value === '') return EMPTY
  if (typeof value === 'string') return DATE.test(value) ? dateTimeText(value) : textOr(`value.${value}`, value)
  return isMembers(value) && value['id'] !== undefined ? labelOf(value) : JSON.stringify(value, null, 2)
}
