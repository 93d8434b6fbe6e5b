/** The inputs of settings that an administrator may change: each with its value, what holds without it, and what wins over it. */
import type { ServiceSettings } from '../../../models/responses.ts'
import { humanized } from '../../model-titles.ts'
import { t, textOr } from '../../texts.ts'
import { h, type Child } from '../../kit/dom.ts'
import { code } from '../../kit/elements.ts'

type SettingItem = ServiceSettings['items'][number]
type Editable = SettingItem & { readonly edit: NonNullable<SettingItem['edit']> }

interface SettingField {
  readonly name: string
  readonly element: HTMLElement
  /** The new value: null for none, undefined where it stays as it is. */
  readonly change: () => string | null | undefined
}

export function isEditable(item: SettingItem): item is Editable {
  return item.edit !== null
}

export function settingTitle(name: string): string {
  const limit = `limit.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`
  return textOr(`setting.${name}`, textOr(limit, humanized(name)))
}

/** `onInput` runs whenever the reader has changed something in it. */
export function settingField(item: Editable, onInput: () => void): SettingField {
  const { name, edit } = item
  const id = `setting-${name}`
  const isSecret = edit.kind === 'secret'
  const stored = isSecret ? '' : (edit.stored ?? '')
  const isLocked = edit.overriddenBy !== null
  const shown = isLocked && !isSecret ? item.value : stored
  const hint = h('p', { class: 'soft', id: `${id}-hint` }, hintOf(item))
  const attributes = { id, disabled: isLocked, 'aria-describedby': hint.id, on: { input: onInput, change: onInput } }
  const input = edit.choices === null ? textInput(item, { ...attributes, value: shown }) : choice(edit, { ...attributes, value: shown })
  return {
    name,
    element: h('div', { class: 'field' }, h('label', { for: id }, settingTitle(name)), input, hint),
    change() {
      const value = isSecret ? input.value : input.value.trim()
      if (isLocked || value === shown) return undefined
      return value === '' ? null : value
    },
  }
}

function textInput({ name, edit }: Editable, attributes: Parameters<typeof h>[1]): HTMLInputElement {
  const { kind, min, max, initial, stored } = edit
  if (kind === 'secret') {
    const placeholder = stored === null ? undefined : '••••••••'
    return h('input', { ...attributes, type: 'password', autocomplete: 'off', placeholder })
  }
  const placeholder = PLACEHOLDERS[name] ?? initial
  if (kind === 'whole') {
    const least = edit.zero ? 0 : (min ?? 0)
    return h('input', { ...attributes, type: 'number', inputmode: 'numeric', min: least, max: max ?? undefined, placeholder })
  }
  const dir = name === 'appName' ? 'auto' : 'ltr'
  return h('input', { ...attributes, type: 'text', dir, spellcheck: 'false', autocomplete: 'off', placeholder })
}

/** Examples for inputs whose default does not show the form. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  publicUrl: 'https://news.example.org/',
  invitationUrl: 'https://news.example.org/',
  mail: 'smtp://user@mail.example.org',
  mailFrom: 'News <news@example.org>',
}

function choice({ choices }: Editable['edit'], attributes: Parameters<typeof h>[1]): HTMLSelectElement {
  const options = (choices ?? []).map((one) => h('option', { value: one }, one))
  return h('select', { ...attributes, dir: 'ltr' }, h('option', { value: '' }, t('settings.default')), options)
}

function hintOf({ edit, name }: Editable): Child {
  const { kind, min, max, zero, overriddenBy, stored, initial } = edit
  if (overriddenBy !== null) return [t('settings.by'), ' ', code(overriddenBy)]
  if (kind === 'secret') return stored === null ? null : t('settings.passwordKept')
  const range = kind === 'whole' && t(zero ? 'settings.rangeZero' : 'settings.range', { min: min ?? 0, max: max ?? 0 })
  const example = name === 'backupEvery' && t('settings.everyHint')
  return [range, example, range !== false || example !== false ? ' · ' : '', t('settings.default'), ': ', h('bdi', {}, initial)]
}
