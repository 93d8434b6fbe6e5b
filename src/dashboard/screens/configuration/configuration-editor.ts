/**
 * Editing the configuration of the apps. What is saved is shown first, with what it does to readers; and it is saved
 * only while no other user has changed it, else both changes are put together and shown.
 */
import { PreconditionFailed, type Stored } from '../../../client/client.ts'
import { remoteConfig } from '../../../models/remote-config.ts'
import { documentsOf, type Members, type StoredDocument } from '../../any-documents.ts'
import { differencesOf, withDifferences, type Difference } from '../../document-difference.ts'
import { problemText, type Problem } from '../../problem-text.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { debouncedRequest } from '../../timing.ts'
import { ask } from '../../kit/dialog.ts'
import { fill, h } from '../../kit/dom.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { configurationForm } from './configuration-form.ts'
import { differenceTable, warningList } from './difference-table.ts'
import { warningsOf } from './lock-outs.ts'

const TYPING_MS = 400

export type ConfigurationEditor = ReturnType<typeof configurationEditor>

export function configurationEditor(
  given: Stored<StoredDocument>,
  { client, signal }: ScreenContext,
  onChange: () => void,
) {
  const documents = documentsOf(client, remoteConfig)
  let stored = given
  let isSaving = false
  const form = configurationForm(given.document, changed, { client, signal })
  const warnings = h('div', { role: 'status' })
  const problems = h('div', { role: 'alert' })
  const checkTyped = debouncedRequest(TYPING_MS, signal, async (ended) => {
    // What is being saved is checked as a whole.
    if (isSaving) return
    // Saving tells what failed here.
    const found = await check(ended).catch(() => undefined)
    if (found !== undefined && !ended.aborted) form.showProblems(found.filter(({ path }) => form.isTouched(path)))
  })
  const current = (): Members => ({ ...stored.document, ...form.value() })
  /** What the form has that a state of the document has not. */
  const typedSince = (state: Members): readonly Difference[] => differencesOf(state, { ...state, ...form.value() })
  const showWarnings = (): void => void fill(warnings, warningList(warningsOf(current())))
  showWarnings()

  /** Goes on with what is stored now. What was typed during the request is not taken away by its response. */
  function goOn(next: Stored<StoredDocument>, typed: readonly Difference[]): void {
    stored = next
    form.set(withDifferences(next.document, typed))
    changed()
  }

  function changed(): void {
    showWarnings()
    checkTyped()
    onChange()
  }

  async function check(ended: AbortSignal): Promise<readonly Problem[]> {
    return (await documents.check(current(), { id: stored.document.id, signal: ended })).problems
  }

  async function save(): Promise<void> {
    if (isSaving || typedSince(stored.document).length === 0) return
    isSaving = true
    checkTyped.cancel()
    try {
      const found = await check(signal)
      fill(problems, form.showProblems(found).map(problemRow))
      if (found.length > 0) form.focusProblem()
      else if (await confirmSave(current(), typedSince(stored.document))) await replace()
    } catch (error) {
      notifyFailure(error)
    } finally {
      isSaving = false
    }
  }

  async function replace(): Promise<void> {
    const { document: before, etag } = stored
    const sent = current()
    try {
      goOn(await documents.replace(before.id, sent, { ifMatch: etag, signal }), typedSince(sent))
      notify(t('saved'), { kind: 'done' })
    } catch (error) {
      if (!(error instanceof PreconditionFailed)) throw error
      // Another user has saved meanwhile: the local changes are applied to that version.
      const next = await documents.get(before.id, { signal })
      goOn(next, typedSince(before))
      fill(problems, meanwhileCard(differencesOf(before, next.document)))
      problems.scrollIntoView({ block: 'center' })
    }
  }

  return {
    element: h('div', { class: 'form' }, warnings, problems, form.element),
    /** The whole document as it is edited. */
    current,
    hasUnsaved: () => typedSince(stored.document).length > 0,
    save,
  }
}

function problemRow(problem: Problem): HTMLElement {
  return h('p', { class: 'field-problem' }, t('pair', { name: problem.path, value: problemText(problem) }))
}

function confirmSave(document: Members, differences: readonly Difference[]): Promise<boolean> {
  const found = warningsOf(document)
  return ask({
    title: t('configuration.confirm'),
    text: [warningList(found), differenceTable(differences)],
    confirm: t('save'),
    isDangerous: found.some(({ kind }) => kind === 'maintenance' || kind === 'oldVersions'),
  })
}

/** What another user has saved meanwhile. */
function meanwhileCard(differences: readonly Difference[]): HTMLElement {
  return h(
    'section',
    { class: 'card conflict' },
    h('h2', {}, t('configuration.meanwhile')),
    h('p', {}, t('configuration.meanwhileText')),
    differenceTable(differences),
  )
}
