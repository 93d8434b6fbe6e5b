/** Asks which documents of other models, such as a topic, and which links all chosen rows are to have. Fields without a choice stay as they are. */
import type { Client, Json } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import { isMembers, type Members, type StoredDocument } from '../../any-documents.ts'
import { countTitle, fieldTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'
import { openDialog } from '../../kit/dialog.ts'
import { button, h, webUrl } from '../../kit/dom.ts'
import { problemLine, submitForm } from '../../kit/elements.ts'
import { inputControl } from '../../kit/form/control.ts'
import { textInput } from '../../kit/form/input-kinds.ts'
import { pickerControl } from '../../kit/form/picker.ts'
import { embeddedFields, linkFields } from './bulk-offers.ts'

export interface SettingFields {
  readonly model: Model
  /** Of the rows. */
  readonly count: number
  readonly client: Client
  readonly signal: AbortSignal
}

interface ChosenFields {
  /** A patch: the service embeds what the ids name. */
  readonly body: Members
  /** Whether a document has all of it already. */
  readonly isIn: (document: StoredDocument) => boolean
}

/** Undefined where nothing was decided. */
export async function askForFields({ model, count, ...parts }: SettingFields): Promise<ChosenFields | undefined> {
  let chosen: ChosenFields | undefined
  const id = 'bulk-fields'
  const problem = problemLine(`${id}-problem`)
  const onChange = (): void => void (problem.textContent = '')
  const controls = [
    ...embeddedFields(model).map(([name, other]) => pickerControl(other, { path: name, label: fieldTitle(name), onChange }, parts)),
    ...linkFields(model).map((name) => inputControl({ path: name, label: fieldTitle(name), onChange }, textInput(name, true))),
  ]
  for (const control of controls) control.set(null)
  const form = submitForm({ id, class: 'form' }, send, h('p', { class: 'soft' }, t('fields.about')), controls.map(({ element }) => element), problem)
  const dialog = openDialog({
    title: t('fields.title', { items: countTitle(model, count) }),
    body: form,
    actions: [button(t('cancel'), () => dialog.close()), h('button', { type: 'submit', form: id, class: 'primary' }, t('fields.confirm'))],
  })
  form.querySelector('input')?.focus()
  await dialog.closed
  return chosen

  function send(): void {
    const chosenValues = controls.flatMap(({ path, value }): [string, Json][] => {
      const one = value()
      return typeof one === 'string' ? [[path, one]] : isMembers(one) ? [[path, { id: one['id'] ?? null }]] : []
    })
    if (chosenValues.length === 0) {
      problem.textContent = t('fields.choose')
      form.querySelector('input')?.focus()
      return
    }
    // Said here once, and not for each row.
    const wrong = controls.find(({ value }) => typeof value() === 'string' && webUrl(String(value())) === undefined)
    if (wrong !== undefined) {
      wrong.showProblem(wrong.path, t('problem.notHttpUrl'))
      wrong.focusProblem()
      return
    }
    chosen = {
      body: Object.fromEntries(chosenValues),
      isIn: (document) => chosenValues.every(([name, one]) => (typeof one === 'string' ? document[name] === one : idIn(document[name]) === idIn(one))),
    }
    dialog.close()
  }
}

function idIn(value: Json | undefined): string | undefined {
  return isMembers(value) ? String(value['id']) : undefined
}
