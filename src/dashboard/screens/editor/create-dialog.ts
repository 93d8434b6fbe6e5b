/** Makes the document that a picker does not find, such as a topic, without leaving the form. */
import type { Caller } from '../../../models/caller.ts'
import type { Model } from '../../../models/schema.ts'
import { documentsOf, type StoredDocument } from '../../any-documents.ts'
import { newTitle } from '../../model-titles.ts'
import { may } from '../../permissions.ts'
import { t } from '../../texts.ts'
import { problemLine } from '../../kit/elements.ts'
import { openFormDialog } from '../../kit/form-dialog.ts'
import { formFor } from '../../kit/form/form.ts'
import { pickerControl, type PickerParts } from '../../kit/form/picker.ts'
import { documentsChanged } from '../../changed-documents.ts'
import { formFields } from './document-members.ts'
import { editorParts } from './editor-parts.ts'
import { createOnce } from './store-document.ts'

/** For pickers: undefined for a model of which the reader may make none, and for one that has no name to be made by. */
export function creationBy(user: Caller, { client }: Pick<PickerParts, 'client'>): NonNullable<PickerParts['create']> {
  return (model, signal) => {
    const { title } = editorParts(model)
    return title === undefined || !may('create', model, user) ? undefined : (name) => askForNew(model, { [title]: name }, { client, signal })
  }
}

/** It is published at once: what is chosen is to be seen by readers. Undefined where the reader gave up. */
async function askForNew(model: Model, given: { readonly [name: string]: string }, parts: PickerParts): Promise<StoredDocument | undefined> {
  const { client, signal } = parts
  let made: StoredDocument | undefined
  const problem = problemLine()
  const form = formFor(formFields(model, []), given, {
    onChange: () => void (problem.textContent = ''),
    picker: (other, options) => pickerControl(other, options, parts),
  })
  const dialog = openFormDialog({ title: newTitle(model), confirm: t('picker.make'), fields: [form.element, problem], problem, send, wordsOf: form.showFailure })
  signal.addEventListener('abort', dialog.close)
  await dialog.closed
  return made

  async function send(): Promise<void> {
    made = (await createOnce(documentsOf(client, model), model, { ...form.value(), status: 'active' })).document
    documentsChanged()
    dialog.close()
  }
}
