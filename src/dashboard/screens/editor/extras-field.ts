/** Members that the declaration does not know, as JSON: they are kept without being understood. */
import type { Json } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { isMembers, type Members } from '../../any-documents.ts'
import { parseExactly } from '../../exact-json.ts'
import { fieldAround, namedProblem } from '../../kit/form/control.ts'
import { jsonMistakeAt, placeIn } from '../../kit/form/json-mistake.ts'
import type { Problem } from '../../problem-text.ts'
import { t } from '../../texts.ts'
import { debounce } from '../../timing.ts'
import { h } from '../../kit/dom.ts'
import { fieldOf } from './document-members.ts'

const TYPING_MS = 700

export function extrasField(model: Model, onChange: (path: string) => void) {
  let touched = false
  let fromServer: readonly Problem[] = []
  const input = h('textarea', { class: 'mono', dir: 'ltr', rows: 7, spellcheck: 'false', on: { input: typed, blur: show } })
  const soon = debounce(TYPING_MS, show)
  const field = fieldAround(
    input,
    { path: '', label: t('editor.extrasJson'), about: t('editor.extrasAbout') },
    (label) => [label, input],
  )
  const element = h('details', { class: 'extras' }, h('summary', {}, t('editor.extras')), field.element)

  function typed(): void {
    touched = true
    // Half-typed JSON is not a mistake yet.
    if (typeof parsed() === 'string') soon()
    else show()
    onChange('')
  }

  function isExtra(path: string): boolean {
    return path !== '' && fieldOf(model, path.replace(/[.[].*$/s, '')) === undefined
  }

  /** The members, or what is wrong with the text. */
  function parsed(): Members | string {
    const text = input.value
    if (text.trim() === '') return {}
    let value: Json
    try {
      value = parseExactly(text) as Json
    } catch {
      return t('form.badJsonAt', placeIn(text, jsonMistakeAt(text)))
    }
    if (!isMembers(value)) return t('editor.extrasObject')
    const known = Object.keys(value).find((name) => fieldOf(model, name) !== undefined)
    return known === undefined ? value : t('editor.extrasField', { name: known })
  }

  function show(): void {
    const value = parsed()
    const message = typeof value === 'string' ? value : [...new Set(fromServer.map(namedProblem))].join('\n')
    field.say(message)
    if (message !== '') element.open = true
  }

  return {
    element,
    /** Undefined while the text is not a JSON object with members of its own; the field then shows why. */
    read(): Members | undefined {
      const value = parsed()
      return typeof value === 'string' ? undefined : value
    },
    set(extras: Members): void {
      const isEmpty = Object.keys(extras).length === 0
      input.value = isEmpty ? '' : JSON.stringify(extras, null, 2)
      element.open = !isEmpty
    },
    showProblems(problems: readonly Problem[]): readonly Problem[] {
      fromServer = problems.filter(({ path }) => isExtra(path))
      show()
      return problems.filter(({ path }) => !isExtra(path))
    },
    isTouched: (path: string): boolean => touched && (path === '' || isExtra(path)),
    focusProblem(): boolean {
      show()
      return field.focusProblem()
    },
  }
}
