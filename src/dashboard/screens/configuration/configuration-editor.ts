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
import { debounce } from '../../timing.ts'
import { ask } from '../../kit/dialog.ts'
import { fill, h } from '../../kit/dom.ts'
import { notify } from '../../kit/notices.ts'
import { isAbort, wordsOf } from '../../kit/states.ts'
import { configurationForm } from './configuration-form.ts'
import { differenceTable, warningList } from './difference-table.ts'
import { warningsOf } from './lock-outs.ts'

const TYPING_MS = 400

export interface ConfigurationEditor {
  readonly element: HTMLElement
  /** The whole document as it is edited. */
  current(): Members
  hasUnsaved(): boolean
  save(): Promise<void>
}

export function configurationEditor(
  given: Stored<StoredDocument>,
  { client, signal }: ScreenContext,
  onChange: () => void,
): ConfigurationEditor {
  const documents = documentsOf(client, remoteConfig)
  let stored = given
  let isSaving = false
  let checking = new AbortController()
  const form = configurationForm(given.document, changed, { client, signal })
  const warnings = h('div', { role: 'status' })
  const problems = h('div', { role: 'alert' })
  const element = h('div', { class: 'form' }, warnings, problems, form.element)
  const checkSoon = debounce(TYPING_MS, () => void checkTyped())
  signal.addEventListener('abort', () => {
    checkSoon.cancel()
    checking.abort()
  })
  showWarnings()

  function current(): Members {
    return { ...stored.document, ...form.value() }
  }

  function differences(): readonly Difference[] {
    return typedSince(stored.document)
  }

  /** What the form has that a state of the document has not. */
  function typedSince(state: Members): readonly Difference[] {
    return differencesOf(state, { ...state, ...form.value() })
  }

  /** Goes on with what is stored now. What was typed while the service was asked is not taken away by its answer. */
  function goOn(next: Stored<StoredDocument>, typed: readonly Difference[]): void {
    stored = next
    form.set(withDifferences(next.document, typed))
    changed()
  }

  function changed(): void {
    showWarnings()
    checkSoon()
    onChange()
  }

  function showWarnings(): void {
    fill(warnings, warningList(warningsOf(current())))
  }

  /** What the server would say of it now. */
  async function check(): Promise<readonly Problem[]> {
    checking.abort()
    checking = new AbortController()
    const ended = AbortSignal.any([signal, checking.signal])
    const { problems: found } = await documents.check(current(), { id: stored.document.id, signal: ended })
    ended.throwIfAborted()
    return found
  }

  async function checkTyped(): Promise<void> {
    // What is being saved is checked as a whole, and nothing ends that.
    if (isSaving) return
    try {
      form.showProblems((await check()).filter(({ path }) => form.isTouched(path)))
    } catch {
      // Saving tells it.
    }
  }

  async function save(): Promise<void> {
    if (isSaving || differences().length === 0) return
    isSaving = true
    checkSoon.cancel()
    try {
      const found = await check()
      const rest = form.showProblems(found)
      fill(
        problems,
        rest.map((problem) => {
          return h('p', { class: 'field-problem' }, t('pair', { name: problem.path, value: problemText(problem) }))
        }),
      )
      if (found.length > 0) form.focusProblem()
      else if (await confirmed()) await replace()
    } catch (error) {
      if (!isAbort(error)) notify(wordsOf(error), { kind: 'failed' })
    } finally {
      isSaving = false
    }
  }

  function confirmed(): Promise<boolean> {
    const found = warningsOf(current())
    return ask({
      title: t('configuration.confirm'),
      text: [warningList(found), differenceTable(differences())],
      confirm: t('save'),
      isDangerous: found.some(({ kind }) => kind === 'maintenance' || kind === 'oldVersions'),
    })
  }

  async function replace(): Promise<void> {
    const sent = current()
    try {
      const next = await documents.replace(stored.document.id, sent, { ifMatch: stored.etag, signal })
      goOn(next, typedSince(sent))
      notify(t('saved'), { kind: 'done' })
    } catch (error) {
      if (!(error instanceof PreconditionFailed)) throw error
      await meet()
    }
  }

  /** Applies the local changes to the version that another user has saved meanwhile. */
  async function meet(): Promise<void> {
    const before = stored.document
    const next = await documents.get(before.id, { signal })
    goOn(next, typedSince(before))
    fill(
      problems,
      h(
        'section',
        { class: 'card conflict' },
        h('h2', {}, t('configuration.meanwhile')),
        h('p', {}, t('configuration.meanwhileText')),
        differenceTable(differencesOf(before, next.document)),
      ),
    )
    problems.scrollIntoView({ block: 'center' })
  }

  return { element, current, hasUnsaved: () => differences().length > 0, save }
}
