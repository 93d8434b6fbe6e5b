/** What the playground is asked with: a model, a filter, a sort and a limit, and examples of filters to click. */
import { fill, h } from '../../kit/dom.ts'
import type { ApiDocument } from './api-document.ts'
import { filterExamples } from './filter-examples.ts'
import { jsonMistake } from './json-place.ts'
import { LIMIT_MAX, readPlayground, type PlaygroundState } from './playground-state.ts'

export interface PlaygroundForm {
  readonly element: HTMLElement
  read(): PlaygroundState
  show(state: PlaygroundState): void
  /** Whether the filter is JSON; says where it is not. */
  checkFilter(): boolean
}

export interface PlaygroundEvents {
  /** Something was typed. */
  onEdit(): void
  /** An example was chosen, and stands in the form. */
  onChoose(): void
}

export function playgroundForm(api: ApiDocument, { onEdit, onChoose }: PlaygroundEvents): PlaygroundForm {
  const models = api.models.filter(({ canList }) => canList)
  const edit = { input: onEdit }
  const model = h(
    'select',
    {
      on: {
        change() {
          showExamples()
          onEdit()
        },
      },
    },
    models.map(({ name }) => h('option', { value: name }, name)),
  )
  const filter = h('textarea', {
    class: 'mono',
    rows: 9,
    spellcheck: 'false',
    autocapitalize: 'off',
    placeholder: '{ "status": "active" }',
    'aria-describedby': 'filter-problem',
    on: edit,
  })
  const sort = h('input', { autocomplete: 'off', spellcheck: 'false', placeholder: 'updatedAt:desc', on: edit })
  const limit = h('input', { type: 'number', min: 1, max: LIMIT_MAX, on: edit })
  const problem = h('div', { id: 'filter-problem', class: 'field-problem', role: 'status' })
  const examples = h('div', { class: 'chips', role: 'group', 'aria-label': 'Examples' })

  const read = (): PlaygroundState => ({
    ...readPlayground(
      new URLSearchParams({ model: model.value, limit: limit.value }),
      models.map(({ name }) => name),
    ),
    filter: filter.value,
    sort: sort.value.trim(),
  })
  const showExamples = (): void => {
    const chosen = models.find(({ name }) => name === model.value)
    const found = chosen === undefined ? [] : filterExamples(api, chosen)
    fill(
      examples,
      found.map((example) => {
        const choose = (): void => {
          filter.value = example.filter
          sort.value = example.sort
          onChoose()
        }
        return h(
          'button',
          { type: 'button', class: 'small', title: example.about, on: { click: choose } },
          example.label,
        )
      }),
    )
  }
  const goTo = (at: number) => (): void => {
    filter.focus()
    filter.setSelectionRange(at, Math.min(at + 1, filter.value.length))
  }
  const field = (words: string, input: HTMLElement): HTMLElement =>
    h('label', { class: 'field' }, h('span', {}, words), input)

  return {
    element: h(
      'div',
      { class: 'play-form' },
      field('Model', model),
      field('Filter', filter),
      problem,
      h('div', { class: 'play-row' }, field('Sort', sort), field('Limit', limit)),
      h('p', { class: 'code-title' }, 'Examples'),
      examples,
    ),
    read,
    show(state) {
      model.value = state.model
      filter.value = state.filter
      sort.value = state.sort
      limit.value = String(state.limit)
      showExamples()
    },
    checkFilter() {
      const mistake = filter.value.trim() === '' ? undefined : jsonMistake(filter.value)
      if (mistake === undefined) {
        filter.removeAttribute('aria-invalid')
        fill(problem)
        return true
      }
      const { at, words } = mistake
      filter.setAttribute('aria-invalid', 'true')
      fill(problem, `${words}. `, h('button', { type: 'button', class: 'link', on: { click: goTo(at) } }, 'Go there'))
      return false
    },
  }
}
