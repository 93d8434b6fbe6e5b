/** A form of some settings, which are stored together and apply immediately. A change of mail is tested by the service first. */
import { PreconditionFailed } from '../../../client/client.ts'
import type { ServiceSettings } from '../../../models/responses.ts'
import { MAIL_NAMES } from '../../../models/editable-settings.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { button, fill, h, type Child } from '../../kit/dom.ts'
import { problemLine, submitForm } from '../../kit/elements.ts'
import { whileBusy } from '../../kit/focus.ts'
import { errorText, orTell } from '../../kit/states.ts'
import { mailFields } from './mail-fields.ts'
import { isEditable, settingField, type EditableItem, type SettingFields } from './setting-fields.ts'
import { openTestMail } from './test-mail.ts'

interface SettingsFormOptions {
  readonly context: Pick<ScreenContext, 'client' | 'user' | 'signal'>
  readonly settings: ServiceSettings
  /** Of the settings that are stored now, as far as the page knows. */
  readonly version: () => string
  /** Those of the form, in its order. */
  readonly names: readonly string[]
  /** The words of the button. */
  readonly save: string
  /** Gets what holds now. */
  readonly onSaved: (settings: ServiceSettings) => void
  /** Stands beside the button. */
  readonly aside?: Child
  /** Of a form that is a step of several: the button goes on where nothing was changed, and a second one where it is not to be saved. */
  readonly onward?: Onward | undefined
}

interface SettingsForm {
  readonly element: HTMLElement
  /** Whether something in it is not saved. */
  readonly isChanged: () => boolean
}

interface Onward {
  readonly label: string
  readonly skip: string
  readonly go: () => void
}

export function settingsForm({ context, settings, version, names, save, onSaved, aside, onward }: SettingsFormOptions): SettingsForm {
  const { client, user, signal } = context
  const isMail = names.some((name) => MAIL_NAMES.some((one) => one === name))
  const fields = fieldsOf(settings, names, onInput)
  const problem = problemLine()
  const submit = h('button', { type: 'submit', class: 'primary' })
  const skip = onward && button(onward.skip, onward.go)
  const isComplete = (): boolean => fields.every(({ check }) => check?.() ?? true)
  const test = button(t('outbox.test'), () => isComplete() && openTestMail(client, user.email, changes()))

  function changes(): Readonly<Record<string, string | null>> {
    return Object.assign({}, ...fields.map((one) => one.changes()))
  }

  const isChanged = (): boolean => Object.keys(changes()).length > 0

  function onInput(): void {
    const saves = isChanged()
    submit.disabled = onward === undefined && !saves
    fill(submit, saves || onward === undefined ? save : onward.label)
    if (skip !== undefined) skip.hidden = !saves
  }

  function send(): void {
    if (!isChanged()) onward?.go()
    else if (isComplete()) void whileBusy(submit, () => orTell(problem, store, tell)).then(onInput)
  }

  async function store(): Promise<void> {
    onSaved(await client.admin.changeSettings(changes(), { ifMatch: version(), signal }))
  }

  function tell(error: unknown): string {
    return error instanceof PreconditionFailed ? t('settings.changedMeanwhile') : errorText(error)
  }

  onInput()
  const element = submitForm(
    { class: 'settings-form', novalidate: true },
    send,
    h('div', { class: 'setting-fields' }, fields.map(({ element }) => element)),
    problem,
    h('div', { class: 'buttons' }, submit, isMail && test, skip, aside, isMail && h('p', { class: 'soft' }, t('settings.mailTested', { email: user.email }))),
  )
  return { element, isChanged }
}

/** The fields of settings: those of mail belong together. */
function fieldsOf({ items }: ServiceSettings, names: readonly string[], onInput: () => void): readonly SettingFields[] {
  const found = new Map(items.flatMap((item): [string, EditableItem][] => (names.includes(item.name) && isEditable(item) ? [[item.name, item]] : [])))
  const [mail, mailPassword, mailFrom, mailTls] = ['mail', 'mailPassword', 'mailFrom', 'mailTls'].map((name) => found.get(name))
  const isWhole = mail !== undefined && mailPassword !== undefined && mailFrom !== undefined && mailTls !== undefined
  return isWhole
    ? [mailFields({ mail, mailPassword, mailFrom, mailTls }, onInput)]
    : names.flatMap((name) => {
        const item = found.get(name)
        return item === undefined ? [] : [settingField(item, onInput)]
      })
}
