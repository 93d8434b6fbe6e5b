/** Choosing a range of dates to filter by: a quick one, or a first and a last day. */
import { t } from '../../texts.ts'
import { button, h, type Child } from '../../kit/dom.ts'
import { labelled, problemLine, submitForm } from '../../kit/elements.ts'
import { QUICK_RANGES, readDays, writeDays, rangeTitle } from './date-range.ts'
import type { FilterField } from './filter-fields.ts'
import type { ListView } from './list-view.ts'

export function datePanel(field: FilterField, { valuesOf, choose }: Pick<ListView, 'valuesOf' | 'choose'>): Child {
  const [chosen = ''] = valuesOf(field)
  const days = readDays(chosen)
  const quick = QUICK_RANGES.map((range) => button(rangeTitle(range), () => take(range), { 'data-range': range }))
  const input = (value = '', max = '9998-12-31'): HTMLInputElement => h('input', { type: 'date', value, max })
  const [first, last] = [input(days?.first), input(days?.last)]
  const problem = problemLine()
  const apply = submitForm(
    { class: 'date-days' },
    submit,
    labelled(t('range.from'), first),
    labelled(t('range.to'), last),
    problem,
    h('button', { type: 'submit', class: 'primary' }, t('range.apply')),
  )
  mark(chosen)

  function submit(): void {
    // A field that is filled by half has no value: the browser says so at it.
    const range = writeDays({ first: first.value, last: last.value })
    const isUsable = readDays(range) !== undefined
    problem.textContent = isUsable ? '' : t(first.value === '' && last.value === '' ? 'range.choose' : 'range.order')
    if (isUsable) take(range)
    else first.focus()
  }

  function take(range: string): void {
    problem.textContent = ''
    if (readDays(range) === undefined) first.value = last.value = ''
    choose(field, range)
    mark(range)
  }

  function mark(range: string): void {
    for (const one of quick) one.setAttribute('aria-pressed', String(one.dataset['range'] === range))
  }

  return [h('div', { class: 'date-quick' }, quick), apply]
}
