/** Does with the chosen rows what the bar offers, and tells what came of it. */
import type { Client } from '../../../client/client.ts'
import { MODELS } from '../../../models/registry.ts'
import type { Model } from '../../../models/schema.ts'
import { countTitle, valueTitle } from '../../model-titles.ts'
import { documentsChanged } from '../../changed-documents.ts'
import { removeWithUndo } from '../../removal.ts'
import { t, textOr } from '../../texts.ts'
import { ask } from '../../kit/dialog.ts'
import { hasFocus } from '../../kit/focus.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { statusAction } from '../../kit/status-tag.ts'
import { tellFailures, type BulkFailure } from '../../kit/table/bulk-failures.ts'
import type { SelectionBar } from '../../kit/table/bulk-work.ts'
import type { RowSelection } from '../../kit/table/row-selection.ts'
import { askForFields } from './bulk-fields.ts'
import { isToHandIn, type Standing } from './bulk-offers.ts'
import { decideReplacements } from './bulk-replacement.ts'
import { askForTimes } from './bulk-schedule.ts'
import { emptyTexts, lacksText } from './missing-text.ts'
import { changeMany, undoChanges, type ChangedVersion, type ChangeOf } from './status-change.ts'

/** What is asked before many documents are changed. */
const QUESTIONS = { active: 'bulk.askActive', draft: 'bulk.askDraft', archived: 'bulk.askArchived', deleted: 'bulk.askDeleted' } as const

export interface BulkActionsOptions {
  readonly model: Model
  readonly client: Client
  readonly selection: RowSelection
  readonly bar: SelectionBar
  /** What was read last of a row; undefined where it was never. */
  readonly standingOf: (id: string) => Standing | undefined
  /** The ids of all rows, from top to bottom. */
  readonly rows: () => readonly string[]
  /** What the list shows: another where other rows are listed. */
  readonly viewKey: () => string
  readonly signal: AbortSignal
}

export function bulkActions({ model, client, selection, bar, standingOf, rows, viewKey, signal }: BulkActionsOptions) {
  let isAsking = false

  /** `said` is what a notice says of so many that have changed; with `keeps` they stay chosen, for what is done next. */
  async function change(ids: readonly string[], changeOf: ChangeOf, said: (done: Done) => string, { keeps = false } = {}): Promise<void> {
    const hadFocus = hasFocus(bar.element)
    const { undo, failures } = await bar.run(ids.length, (tell) => changeMany({ client, model }, ids, changeOf, tell))
    // What failed stays chosen, to be tried again, and so does what has not changed.
    const changed = new Set(keeps ? [] : undo.map(({ id }) => id))
    if (changed.size > 0) bar.letGo(selection.ids().filter((id) => !changed.has(id)), hadFocus)
    const done = finish(undo.length, failures)
    if (done.count > 0) {
      const action = { label: t('undo'), run: () => void takeBack(undo).catch(notifyFailure) }
      notify(said(done), { kind: 'done', shownMs: Infinity, action })
    } else if (failures.length === 0) notify(t('bulk.same'))
  }

  /** Whether many are to be changed at once: a slip of the hand takes a site offline. One row has its undo. */
  async function isMeant(kind: keyof typeof QUESTIONS, ids: readonly string[]): Promise<boolean> {
    if (ids.length < 2) return true
    // A second click comes before the dialog does.
    if (isAsking) return false
    isAsking = true
    const standings = ids.map((id) => standingOf(id) ?? {})
    const live = kind === 'active' ? 0 : standings.filter(({ status }) => status === 'active').length
    const planned = kind === 'active' ? standings.filter(({ status, publishAt }) => status === 'draft' && typeof publishAt === 'string').length : 0
    const text = [live > 0 && t('bulk.askLive', { count: live }), planned > 0 && t('bulk.askPlanned', { count: planned })]
    const question = { title: t(QUESTIONS[kind], { items: countTitle(model, ids.length) }), text: text.filter((line) => line !== false).join(' ') }
    const [confirm] = kind === 'deleted' ? [t('delete')] : statusAction(kind)
    return ask({ ...question, confirm, isDangerous: kind !== 'active' }).finally(() => (isAsking = false))
  }

  async function setStatus(value: string): Promise<void> {
    const ids = selection.ids()
    if (!(await isMeant(value as keyof typeof QUESTIONS, ids))) return
    await change(
      ids,
      (document) => {
        if (document['status'] === value) return undefined
        const lacks = value === 'draft' ? undefined : lacksText(model, document)
        return lacks === undefined ? { body: { ...(value !== 'draft' && emptyTexts(model, document)), status: value } } : { reason: lacks }
      },
      (done) => textOr(`bulk.${value}`, t('pair', { name: valueTitle(value), value: done.items }), done),
    )
  }

  /** Any date hands a draft in: the service sets its own. */
  const handIn = (): Promise<void> =>
    change(selection.ids(), (document) => {
      if (!isToHandIn({ status: document['status'], handedInAt: document['handedInAt'] })) return undefined
      const lacks = lacksText(model, document)
      return lacks === undefined ? { body: { ...emptyTexts(model, document), handedInAt: document['updatedAt'] ?? null } } : { reason: lacks }
    }, (done) => t('bulk.handedIn', done))

  async function schedule(): Promise<void> {
    // A second click comes before the dialog does.
    if (isAsking) return
    isAsking = true
    const times = await askForTimes({ model, client, ids: inOrder(selection.ids(), rows()), signal }).finally(() => (isAsking = false))
    if (times === undefined || signal.aborted) return
    await change([...times.keys()], (document) => {
      const at = times.get(document.id) ?? null
      return at === (document['publishAt'] ?? null) ? undefined : { body: { ...emptyTexts(model, document), publishAt: at } }
    }, (done) => t('schedule.done', done))
  }

  async function setFields(): Promise<void> {
    // A second click comes before the dialog does.
    if (isAsking) return
    isAsking = true
    const ids = selection.ids()
    const chosen = await askForFields({ model, count: ids.length, client, signal }).finally(() => (isAsking = false))
    if (chosen === undefined || signal.aborted) return
    await change(inOrder(ids, rows()), (document) => (chosen.isIn(document) ? undefined : { body: chosen.body }), (done) => t('fields.done', done), { keeps: true })
  }

  async function takeBack(changed: readonly ChangedVersion[]): Promise<void> {
    const failures = await bar.run(changed.length, (tell) => undoChanges({ client, model }, changed, tell))
    const done = finish(changed.length - failures.length, failures)
    if (done.count > 0) notify(t('bulk.undone', done), { kind: 'done' })
  }

  /** Shows what is there now, and tells what could not be done. */
  function finish(count: number, failures: readonly BulkFailure[]): Done {
    documentsChanged()
    tellFailures(t('bulk.failed', { count: failures.length, items: countTitle(model, failures.length) }), failures, () => bar.letGo(selection.ids(), true))
    return { count, items: countTitle(model, count) }
  }

  async function remove(): Promise<void> {
    // A second click comes before the dialog does.
    if (isAsking) return
    const ids = selection.ids()
    const hadFocus = hasFocus(bar.element)
    const decided = canBeUsed(model) ? await decide(ids) : { replaceBy: undefined, replaced: [] }
    if (decided === undefined) return
    // The dialog about documents that use the rows has asked already.
    if (decided.replaced.length === 0 && !(await isMeant('deleted', ids))) return
    const shown = viewKey()
    bar.letGo([], hadFocus)
    const notice = (count: number): string => t('bulk.deleted', { count, items: countTitle(model, count) })
    const kept = await bar.run(ids.length, (onProgress) => removeWithUndo({ ...{ client, model, ids, notice, onProgress }, ...decided }))
    // The reader may have gone on to other rows meanwhile.
    if (kept.length > 0 && viewKey() === shown && !signal.aborted) selection.set([...selection.ids(), ...kept])
  }

  async function decide(ids: readonly string[]) {
    isAsking = true
    try {
      return await decideReplacements({ model, client, ids, holding: bar.holding, signal })
    } finally {
      isAsking = false
    }
  }

  return { setStatus, handIn, schedule, setFields, remove }
}

/** Rows that are not in the list any more come last. */
function inOrder(ids: readonly string[], rows: readonly string[]): readonly string[] {
  const places = new Map(rows.map((id, i) => [id, i]))
  return ids.toSorted((a, b) => (places.get(a) ?? rows.length) - (places.get(b) ?? rows.length))
}

/** How many documents were changed, as a number and in words. */
type Done = Readonly<Record<'count', number> & Record<'items', string>>

/** Whether other documents can have copies of those of the model. */
function canBeUsed(model: Model): boolean {
  return (MODELS as readonly Model[]).some(({ fields }) => Object.values(fields).some((field) => field.kind === 'embedded' && field.model === model))
}
