/** Members that the declaration does not know, as JSON: they are kept without being understood. */
import type { Model } from '../../../models/schema.ts'
import { isMembers, type Members } from '../../any-documents.ts'
import { parseExactly } from '../../exact-json.ts'
import { jsonMistake, newId } from '../../kit/form/control.ts'
import { problemText, type Problem } from '../../problem-text.ts'
import { t } from '../../texts.ts'
import { debounce } from '../../timing.ts'
import { fill, h } from '../../kit/dom.ts'
import { fieldOf } from './document-members.ts'
import type { Places } from './live-problems.ts'

const TYPING_MS = 700

export interface ExtrasField extends Places {
  readonly element: HTMLElement
  /** Undefined where the text is not what it has to be; that stands at the field then. */
  read(): Members | undefined
  set(extras: Members): void
}

export function extrasField(model: Model, onChange: (path: string) => void): ExtrasField {
  const id = newId()
  let touched = false
  let fromServer: readonly Problem[] = []
  const input = h('textarea', {
    id,
    class: 'mono',
    dir: 'ltr',
    rows: 7,
    spellcheck: 'false',
    'aria-describedby': `${id}-about ${id}-problem`,
    on: {
      input() {
        touched = true
        // What is half typed is no mistake yet.
        if (typeof judged() === 'string') look()
        else show()
        onChange('')
      },
      blur: show,
    },
  })
  const look = debounce(TYPING_MS, show)
  const problem = h('p', { id: `${id}-problem`, class: 'field-problem', 'aria-live': 'polite' })
  const element = h(
    'details',
    { class: 'extras' },
    h('summary', {}, t('editor.extras')),
    h(
      'div',
      { class: 'field' },
      h('label', { for: id }, t('editor.extrasJson')),
      input,
      h('p', { id: `${id}-about`, class: 'field-about' }, t('editor.extrasAbout')),
      problem,
    ),
  )

  function isExtra(path: string): boolean {
    return path !== '' && fieldOf(model, path.replace(/[.[].*$/s, '')) === undefined
  }

  function judged(): Members | string {
    const text = input.value
    if (text.trim() === '') return {}
    let value: unknown
    try {
      value = parseExactly(text)
    } catch {
      return jsonMistake(text)
    }
    if (!isMembers(value as Members)) return t('editor.extrasObject')
    const known = Object.keys(value as Members).find((name) => fieldOf(model, name) !== undefined)
    return known === undefined ? (value as Members) : t('editor.extrasField', { name: known })
  }

  function show(): void {
    const value = judged()
    const message =
      typeof value === 'string' ? value : [...new Set(fromServer.map(lineOf))].join('\n')
    if (problem.textContent !== message) fill(problem, message)
    if (message === '') return input.removeAttribute('aria-invalid')
    input.setAttribute('aria-invalid', 'true')
    element.open = true
  }

  function lineOf(problem: Problem): string {
    return t('pair', { name: problem.path, value: problemText(problem) })
  }

  return {
    element,
    read() {
      const value = judged()
      return typeof value === 'string' ? undefined : value
    },
    set(extras) {
      const isEmpty = Object.keys(extras).length === 0
      input.value = isEmpty ? '' : JSON.stringify(extras, null, 2)
      element.open = !isEmpty
    },
    showProblems(problems) {
      fromServer = problems.filter(({ path }) => isExtra(path))
      show()
      return problems.filter(({ path }) => !isExtra(path))
    },
    isTouched: (path) => touched && (path === '' || isExtra(path)),
    focusProblem() {
      show()
      if (!input.hasAttribute('aria-invalid')) return false
      input.focus()
      return true
    },
  }
}
