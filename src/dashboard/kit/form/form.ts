/**
 * A form that is made from a declaration (src/models/schema.ts): one control for each field that a client sends, in
 * declared order, groups in groups. A field that is added to a model is in its form at once.
 */
import type { Json } from '../../../client/client.ts'
import type { Field, Model, Shape } from '../../../models/schema.ts'
import { isMembers, type Members } from '../../any-documents.ts'
import { fieldTitle } from '../../model-titles.ts'
import { problemOf, problemText, type Problem } from '../../problem-text.ts'
import { h } from '../dom.ts'
import { errorText } from '../states.ts'
import { groupControl, inputControl, isWithin, namedProblem, type Control, type ControlOptions } from './control.ts'
import { booleanInput, choiceInput, dateInput, jsonInput, textInput, wholeInput } from './input-kinds.ts'
import { mapControl } from './map-control.ts'

export interface FormOptions {
  readonly onChange: (path: string) => void
  /** The control for a whole copy of another model's document. */
  readonly picker: (model: Model, options: ControlOptions) => Control
  /** What a value does, by its path. */
  readonly about?: (path: string) => string | undefined
  /** A control of one's own for a path; without one the field's kind decides. */
  readonly instead?: (path: string, field: Field, options: ControlOptions) => Control | undefined
}

export type Form = ReturnType<typeof formFor>

export function formFor(fields: Shape, given: Members, options: FormOptions) {
  const { controls, elements, value, set, change } = membersControl(fields, '', options)
  let shown: readonly Problem[] = []
  set(given)

  function showProblems(problems: readonly Problem[]): readonly Problem[] {
    for (const { path } of shown) for (const control of controls) control.showProblem(path, undefined)
    // Of several problems with one path the first is shown.
    const rest = problems.toReversed().filter((problem) => {
      return !controls.some((control) => control.showProblem(problem.path, problemText(problem)))
    })
    shown = problems
    return rest.toReversed()
  }

  const focusProblem = (): boolean => controls.some((control) => control.focusProblem())

  return {
    element: h('div', { class: 'form' }, elements),
    /** Those of the fields by their names, for a screen that puts them elsewhere. */
    elements: new Map(controls.map(({ path, element }) => [path, element])),
    /** The members of the fields; what is no field is not among them. */
    value,
    set,
    /** Sets these members alone: what is half typed elsewhere stays. */
    change,
    /** Shows these problems and no others; gives those that belong to no field here. */
    showProblems,
    /** Goes to the field that a failed request is about, and says it there; gives the words about what belongs to no field here. */
    showFailure(error: unknown): string {
      const problem = problemOf(error)
      const rest = showProblems(problem === undefined ? [] : [problem])
      focusProblem()
      return problem === undefined ? errorText(error) : rest.map(namedProblem).join(' ')
    },
    isTouched: (path: string) => controls.some((control) => isWithin(path, control.path) && control.isTouched(path)),
    /** Goes to the field of a path. */
    focusField(path: string): void {
      const field = controls.find((control) => isWithin(path, control.path))
      field?.element.querySelector<HTMLElement>('input,textarea,select')?.focus()
    },
    /** Goes to the first field with a problem. */
    focusProblem,
  }
}

/** One control for each field that a client may send, and their values as one object. */
function membersControl(fields: Shape, prefix: string, options: FormOptions) {
  const named = Object.entries(fields).flatMap(([name, field]): [string, Control][] => {
    return field.kind === 'generated' || field.kind === 'constant' ? [] : [[name, controlOf(field, prefix + name, options)]]
  })
  return {
    controls: named.map(([, control]) => control),
    elements: named.map(([, { element }]) => element),
    value(): Members {
      const values = named.map(([name, control]) => [name, control.value()] as const)
      return Object.fromEntries(values.filter((entry): entry is [string, Json] => entry[1] !== undefined))
    },
    set(members: Members): void {
      for (const [name, control] of named) control.set(members[name])
    },
    change(members: Members): void {
      for (const [name, control] of named) if (Object.hasOwn(members, name)) control.set(members[name])
    },
  }
}

export function controlOf(field: Field, path: string, form: FormOptions): Control {
  const options: ControlOptions = {
    path,
    label: fieldTitle(path),
    about: form.about?.(path),
    onChange: form.onChange,
  }
  return form.instead?.(path, field, options) ?? ownControl(field, options, form, false)
}

function ownControl(field: Field, options: ControlOptions, form: FormOptions, isNullable: boolean): Control {
  const { path } = options
  switch (field.kind) {
    case 'text':
    case 'date':
      return inputControl(options, textInput(path, isNullable))
    case 'choice':
      return inputControl(options, choiceInput(field.values, isNullable))
    case 'boolean':
      return inputControl(options, booleanInput())
    case 'whole':
      return inputControl(options, wholeInput(isNullable))
    case 'optional':
      return inputControl(options, field.of.kind === 'date' ? dateInput() : textInput(path, true))
    case 'nullable':
      return ownControl(field.of, options, form, true)
    case 'embedded':
      return form.picker(field.model, options)
    case 'record':
      return recordControl(field.fields, options, form)
    case 'map':
      return mapControl(field.keys, options, (key) => controlOf(field.of, `${path}.${key}`, form))
    case 'list':
    case 'generated':
    case 'constant':
      return inputControl(options, jsonInput())
  }
}

/** A record as a group; members that the declaration does not know stay as they came. */
function recordControl(fields: Shape, options: ControlOptions, form: FormOptions): Control {
  const { controls, elements, value, set } = membersControl(fields, `${options.path}.`, form)
  let further: Members = {}
  return groupControl(options, {
    content: elements,
    controls: () => controls,
    value: () => ({ ...value(), ...further }),
    set(given) {
      const members = isMembers(given) ? given : {}
      further = Object.fromEntries(Object.entries(members).filter(([name]) => !Object.hasOwn(fields, name)))
      set(members)
    },
  })
}
