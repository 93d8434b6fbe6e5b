/**
 * One field of a form: something to fill in, its name, and the place of its problem.
 *
 * Controls are made from the declaration of a field (see form.ts). A control knows its path, so that a problem that
 * the server reports finds its place.
 */
import type { Json } from '../../../client/client.ts'
import { problemText, type Problem } from '../../problem-text.ts'
import { t } from '../../texts.ts'
import { fill, h, setAttributes, type Child } from '../dom.ts'

export interface Control {
  readonly path: string
  readonly element: HTMLElement
  /** What is filled in; undefined where the member is to be left out. */
  value(): Json | undefined
  set(value: Json | undefined): void
  /** Shows a problem at the control, or takes it away. False where the path is none of this control's. */
  showProblem(path: string, message: string | undefined): boolean
  /** Whether the reader has been here, so that a problem is news and no reproach. */
  isTouched(path: string): boolean
  /** Goes to the first control that has a problem; false where none has. */
  focusProblem(): boolean
}

export interface ControlOptions {
  readonly path: string
  readonly label: string
  /** A sentence about what the value does. */
  readonly about?: string | undefined
  /** Runs after each change of the reader's. */
  readonly onChange: (path: string) => void
}

/** Whether a problem's path is that of a control or lies in it, as `tags[2]` and `source.name` do. */
export function isWithin(at: string, path: string): boolean {
  return at === path || at.startsWith(`${path}.`) || at.startsWith(`${path}[`)
}

/** What stands at the control of a path about something in it. */
function textAtControl(path: string, at: string, message: string): string {
  if (at === path) return message.charAt(0).toUpperCase() + message.slice(1)
  return `${at.slice(path.length).replace(/^\./, '')}: ${message}`
}

/** The words about a problem that no field shows. */
export function namedProblem(problem: Problem): string {
  const text = problemText(problem)
  return problem.path === '' ? text : t('pair', { name: problem.path, value: text })
}

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** How one kind of input gives its value and takes one. */
export interface InputKind<I extends Input> {
  readonly input: I
  read(input: I): Json | undefined
  write(input: I, value: Json | undefined): void
  /** Stands behind the input, and hears of each change. */
  readonly extra?: { readonly element: Child; update(value: Json | undefined): void }
  readonly isTick?: boolean
}

let count = 0

/** An id that nothing else in the page has, to tie labels and inputs. */
function newId(): string {
  return `control-${++count}`
}

/** A control around an input, a select or a text area. */
export function inputControl<I extends Input>(
  options: ControlOptions,
  { input, read, write, extra, isTick = false }: InputKind<I>,
): Control {
  let touched = false
  // Inputs change what they are given: line breaks, say. A value that was not changed stays as it came.
  let given: Json | undefined
  const changed = (): void => {
    touched = true
    given = undefined
    extra?.update(read(input))
    options.onChange(options.path)
  }
  setAttributes(input, { on: { input: changed, blur: () => (touched = true) } })
  const { element, showProblem, focusProblem } = fieldAround(input, options, (label) =>
    isTick ? h('div', { class: 'tick' }, input, label) : [label, input, extra?.element],
  )
  return {
    path: options.path,
    element,
    value: () => given ?? read(input),
    set(value) {
      given = value
      write(input, value)
      extra?.update(value)
    },
    isTouched: () => touched,
    showProblem,
    focusProblem,
  }
}

/** An input with its label, its explanation and its problem, which are tied to it for screen readers. */
export function fieldAround(
  input: Input,
  { path, label, about }: Omit<ControlOptions, 'onChange'>,
  arranged: (label: HTMLElement) => Child,
) {
  const id = newId()
  const problem = h('p', { id: `${id}-problem`, class: 'field-problem', 'aria-live': 'polite' })
  const explanation = about === undefined ? null : h('p', { id: `${id}-about`, class: 'field-about' }, about)
  const described = explanation === null ? problem.id : `${explanation.id} ${problem.id}`
  setAttributes(input, { id, name: path, 'aria-describedby': described })

  /** What is shown already is not announced again. */
  function say(words: string): void {
    if (problem.textContent !== words) fill(problem, words)
    setAttributes(input, { 'aria-invalid': words !== '' && 'true' })
  }

  return {
    element: h('div', { class: 'field' }, arranged(h('label', { for: id }, label)), explanation, problem),
    say,
    showProblem(at: string, message: string | undefined): boolean {
      if (!isWithin(at, path)) return false
      say(message === undefined ? '' : textAtControl(path, at, message))
      return true
    },
    focusProblem(): boolean {
      if (input.getAttribute('aria-invalid') !== 'true') return false
      input.focus()
      return true
    },
  }
}

/** Controls that belong together under one heading. */
export interface Group {
  readonly content: Child
  readonly controls: () => readonly Control[]
  value(): Json | undefined
  set(value: Json | undefined): void
}

/** A group passes problems on to its controls. */
export function groupControl(
  { path, label, about }: ControlOptions,
  { content, controls, value, set }: Group,
): Control {
  return {
    path,
    element: h(
      'fieldset',
      { class: 'group', 'data-path': path },
      h('legend', {}, label),
      about === undefined ? null : h('p', { class: 'field-about' }, about),
      content,
    ),
    value,
    set,
    showProblem: (at, message) => controls().some((control) => control.showProblem(at, message)),
    isTouched: (at) => controls().some((control) => isWithin(at, control.path) && control.isTouched(at)),
    focusProblem: () => controls().some((control) => control.focusProblem()),
  }
}
