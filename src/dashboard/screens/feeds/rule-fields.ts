/** The fields of one rule: which items it is for, and what it does with them. */
import type { Json } from '../../../client/client.ts'
import { ARRIVALS } from '../../../models/feed-model.ts'
import { country } from '../../../models/country.ts'
import { topic } from '../../../models/topic.ts'
import type { Members } from '../../any-documents.ts'
import { fieldTitle, valueTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { choiceAmong, labelled, problemLine } from '../../kit/elements.ts'
import { icon } from '../../kit/icons.ts'
import type { PickerParts } from '../../kit/form/picker.ts'
import { optionalPicker } from './optional-picker.ts'
import { conditionOf, filterOf, ITEM_MEMBERS, type RuleCondition } from './rule-filter.ts'

export interface RuleFieldsOptions extends PickerParts {
  readonly onChange: () => void
  readonly onMove: (step: -1 | 1) => void
  readonly onRemove: () => void
}

export type RuleFields = ReturnType<typeof ruleFields>

export function ruleFields(given: Members, { onChange, onMove, onRemove, ...parts }: RuleFieldsOptions) {
  const on = { input: changed, change: changed }
  const condition = conditionOf(String(given['filter'] ?? '{}'))
  const kinds = ['contains', 'is', 'all', 'filter'] as const
  const isText = condition.kind === 'contains' || condition.kind === 'is'
  const kind = choiceAmong(kinds, (one) => t(`rules.${one}`), { value: condition.kind, on })
  const member = choiceAmong(ITEM_MEMBERS, (one) => fieldTitle(`item.${one}`), { value: isText ? condition.member : ITEM_MEMBERS[0], on })
  const text = h('input', { value: isText ? condition.text : '', dir: 'auto', maxlength: 500, on })
  const json = h('textarea', { class: 'mono', dir: 'ltr', rows: 3, spellcheck: 'false', value: condition.kind === 'filter' ? condition.json : '', on })
  const drop = h('input', { type: 'checkbox', checked: given['drop'] === true, on })
  const arrival = choiceAmong(['', ...ARRIVALS], (one) => (one === '' ? t('rules.unchanged') : valueTitle(one)), { value: String(given['arrival'] ?? ''), on })
  const pickers = [
    optionalPicker(topic, { path: 'topic', label: fieldTitle('topic'), onChange: changed }, parts),
    optionalPicker(country, { path: 'country', label: fieldTitle('country'), onChange: changed }, parts),
  ] as const
  for (const one of pickers) one.set(given[one.path] ?? null)
  const [memberField, textField, jsonField] = [labelled(t('rules.member'), member), labelled(t('rules.text'), text), labelled(t('rules.json'), json)]
  const sets = h('div', { class: 'rule-sets' }, pickers.map(({ element }) => element), labelled(fieldTitle('arrival'), arrival))
  const problem = problemLine()
  const found = h('div', { class: 'rule-found', 'aria-live': 'polite' })
  const name = h('legend', {})
  const [up, down] = [arrow('up', -1), arrow('down', 1)]
  const remove = button(icon('trash'), onRemove, { class: 'plain small', 'aria-label': t('rules.remove') })
  const element = h(
    'fieldset',
    { class: 'group rule' },
    name,
    h('div', { class: 'rule-tools' }, up, down, remove),
    h('div', { class: 'rule-when' }, labelled(t('rules.when'), kind), memberField, textField, jsonField),
    problem,
    h('label', { class: 'tick' }, drop, ' ', t('rules.drop')),
    sets,
    found,
  )
  arrange()

  function arrow(to: 'up' | 'down', step: -1 | 1): HTMLButtonElement {
    return button(icon(to), () => onMove(step), { class: 'plain small', 'aria-label': t(`rules.${to}`) })
  }

  function changed(): void {
    arrange()
    onChange()
  }

  /** What has no meaning is not there. */
  function arrange(): void {
    const isSimple = kind.value === 'contains' || kind.value === 'is'
    memberField.hidden = textField.hidden = !isSimple
    jsonField.hidden = kind.value !== 'filter'
    sets.hidden = drop.checked
  }

  function current(): RuleCondition {
    const at = ITEM_MEMBERS.find((one) => one === member.value) ?? 'title'
    if (kind.value === 'contains' || kind.value === 'is') return { kind: kind.value, member: at, text: text.value }
    return kind.value === 'all' ? { kind: 'all' } : { kind: 'filter', json: json.value }
  }

  return {
    element,
    found,
    focus: () => kind.focus(),
    /** Shows where it stands among the others. */
    place(at: number, count: number): void {
      fill(name, t('rules.rule', { count: at + 1 }))
      up.disabled = at === 0
      down.disabled = at === count - 1
    },
    showProblem: (words: string) => void fill(problem, words),
    /** Whether its filter is typed as JSON. */
    isTyped: () => kind.value === 'filter',
    /** Whether it lacks the text that it looks for: it would find all items. */
    isUnfinished(): boolean {
      const now = current()
      return (now.kind === 'contains' && now.text.trim() === '') || (now.kind === 'filter' && now.json.trim() === '')
    },
    value(): { readonly [name: string]: Json } {
      const [ofTopic, ofCountry] = pickers.map((one) => (drop.checked ? null : (one.value() ?? null)))
      return { filter: filterOf(current()), topic: ofTopic ?? null, country: ofCountry ?? null, arrival: drop.checked || arrival.value === '' ? null : arrival.value, drop: drop.checked }
    },
  }
}
