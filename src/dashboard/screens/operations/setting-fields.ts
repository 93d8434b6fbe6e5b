/** The inputs of settings that an administrator may change: each with its value, what holds without it, and what wins over it. */
import type { ServiceSettings } from '../../../models/responses.ts'
import { humanized } from '../../model-titles.ts'
import { t, textOr } from '../../texts.ts'
import { button, h, type Attributes, type Child } from '../../kit/dom.ts'
import { choiceAmong, code } from '../../kit/elements.ts'

type SettingItem = ServiceSettings['items'][number]
export type EditableItem = SettingItem & { readonly edit: NonNullable<SettingItem['edit']> }

/** One or more settings in a form. */
export interface SettingFields {
  readonly element: HTMLElement
  /** The new values: null for none. What stays as it is is left out. */
  readonly changes: () => Readonly<Record<string, string | null>>
  /** Shows what is missing, and goes there; true where nothing is. */
  readonly check?: () => boolean
}

export function isEditable(item: SettingItem): item is EditableItem {
  return item.edit !== null
}

export function settingTitle(name: string): string {
  const limit = `limit.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
  return textOr(`setting.${name}`, textOr(limit, humanized(name)))
}

/** Of whole numbers. */
const UNITS: Readonly<Record<string, string>> = {
  codesPerEmail: 'quarter',
  codesPerAddress: 'hour',
  wrongCodesPerAddress: 'hour',
  wrongCodesPerEmail: 'day',
  guestsPerAddress: 'hour',
  dataPerUser: 'minute',
  auditDays: 'days',
  guestDays: 'days',
  guestsMb: 'mebibytes',
  mediaMax: 'mebibytes',
  historyDays: 'days',
  trashDays: 'days',
}

/** Examples for inputs whose default does not show the form. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  publicUrl: 'https://news.example.org/',
  invitationUrl: 'https://news.example.org/',
}

/** `onInput` runs whenever the reader has changed something in it. */
export function settingField(item: EditableItem, onInput: () => void): SettingFields {
  const { name, edit, value } = item
  const isLocked = edit.overriddenBy !== null
  const id = `setting-${name}`
  const shown = isLocked ? value : edit.choices === null ? (edit.stored ?? '') : (edit.stored ?? edit.initial)
  const hint = h('p', { class: 'soft', id: `${id}-hint` }, hintOf(item))
  const attributes = { id, disabled: isLocked, 'aria-describedby': hint.id, value: shown, on: { input: onInput, change: onInput } }
  const input = edit.choices === null ? textInput(item, attributes) : choiceAmong(edit.choices, choiceTitle, attributes)
  const unit = edit.kind === 'whole' ? textOr(`settingUnit.${UNITS[name] ?? ''}`, '') : ''
  const reset = button(
    t('settings.reset'),
    () => {
      input.value = edit.choices === null ? '' : edit.initial
      input.focus()
      onInput()
    },
    { class: 'plain', 'aria-describedby': `${id}-title` },
  )
  return {
    element: h(
      'div',
      { class: 'setting' },
      h('div', { class: 'setting-words' }, h('label', { for: id, id: `${id}-title` }, settingTitle(name)), hint),
      h('div', { class: 'setting-control' }, h('div', { class: 'setting-input' }, input, unit), edit.stored !== null && !isLocked && reset),
    ),
    changes() {
      const now = input.value.trim()
      if (isLocked || now === shown) return {}
      return { [name]: now === '' || (edit.choices !== null && now === edit.initial) ? null : now }
    },
  }
}

function textInput({ name, edit }: EditableItem, attributes: Attributes): HTMLInputElement {
  const placeholder = PLACEHOLDERS[name] ?? edit.initial
  if (edit.kind === 'whole') {
    const least = edit.zero ? 0 : (edit.min ?? 0)
    return h('input', { ...attributes, type: 'number', inputmode: 'numeric', min: least, max: edit.max ?? undefined, placeholder })
  }
  const dir = name === 'appName' ? 'auto' : 'ltr'
  return h('input', { ...attributes, type: 'text', dir, spellcheck: 'false', autocomplete: 'off', placeholder })
}

function choiceTitle(value: string): string {
  return textOr(`choice.${value}`, value)
}

/** What the setting does, which values it may have, and what holds without one. */
function hintOf({ edit, name }: EditableItem): Child {
  const { kind, min, max, zero, overriddenBy, initial, choices } = edit
  if (overriddenBy !== null) return lockedBy(overriddenBy)
  const about = textOr(`settingAbout.${name}`, '')
  const range = kind === 'whole' && t(zero && about === '' ? 'settings.rangeZero' : 'settings.range', { min: min ?? 0, max: max ?? 0 })
  const isShown = initial !== 'none' && choices === null
  const parts: readonly Child[] = [about, range, name === 'backupEvery' && t('settings.everyHint'), isShown && [t('settings.default'), ': ', h('bdi', {}, initial)]]
  return parts.filter((part) => part !== '' && part !== false).flatMap((part, i) => (i === 0 ? [part] : [' · ', part]))
}

/** What wins over a stored value. */
export function lockedBy(origin: string): Child {
  return [t('settings.by'), ' ', code(origin)]
}
