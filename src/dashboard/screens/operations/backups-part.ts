/** Backups: when they are made, which there are, one more now, and one to take along or to restore. */
import type { Backup, LastRestore, ServiceStatus } from '../../../models/responses.ts'
import { t } from '../../texts.ts'
import { every, now } from '../../timing.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import { code } from '../../kit/elements.ts'
import { icon } from '../../kit/icons.ts'
import { ago, byteSize, dateTime, duration } from '../../kit/moments.ts'
import { notify } from '../../kit/notices.ts'
import { readInto } from '../../kit/read-into.ts'
import { saveFile } from '../../kit/save-file.ts'
import { emptyState, isAbort, errorText } from '../../kit/states.ts'
import { inRow, workButton } from '../../kit/work-button.ts'
import { offsiteSection } from './offsite-section.ts'
import type { OpenPart } from './part.ts'
import { recordsTable } from '../../kit/table/records-table.ts'
import { awaitRestart, confirmRestore } from './restore-dialog.ts'

export const backupsPart: OpenPart = (context) => {
  const { client, signal } = context
  const content = h('div', { class: 'part' })
  const progress = h('div', { class: 'progress', role: 'status' })
  const problem = h('p', { class: 'banner', role: 'alert', dir: 'auto', hidden: true })
  const make = workButton([icon('plus'), t('backups.make')], makeOne, { class: 'primary' })
  const { load } = readInto(context, {
    element: content,
    lines: 8,
    read: async (options) => {
      const [{ items }, { backups }, { restore }] = await Promise.all([
        client.admin.backups(options),
        client.admin.status(options),
        client.admin.lastRestore(options),
      ])
      return { items, backups, restore }
    },
    show: ({ items, backups, restore: last }) => [
      schedule(backups, items),
      last !== null && outcomeBanner(last),
      items.length === 0 ? emptyState('archive', t('backups.empty')) : backupTable(items, { download, restore }),
      offsiteSection(backups.offsite, store),
    ],
  })
  return { element: h('div', { class: 'part' }, h('div', { class: 'part-tools' }, make, progress), problem, content) }

  /** Shows the progress of the work, and the problem that ends it. */
  async function follow(label: string, more: Child, work: () => Promise<void>): Promise<void> {
    tell('')
    fill(progress, h('progress', { 'aria-label': label }), more)
    try {
      await work()
    } catch (error) {
      if (!isAbort(error)) tell(errorText(error))
    } finally {
      fill(progress)
    }
  }

  function tell(words: string): void {
    fill(problem, words)
    problem.hidden = words === ''
  }

  /** Leaving the screen does not cancel the backup. */
  async function makeOne(): Promise<void> {
    const begun = now()
    const ticking = new AbortController()
    const label = t('backups.making')
    const passed = h('span', { 'aria-hidden': 'true' })
    every(1_000, ticking.signal, () => fill(passed, duration(now() - begun)))
    await follow(label, [h('span', {}, label), passed], async () => {
      const { name, bytes } = await client.admin.makeBackup()
      notify(t('backups.made', { name, size: byteSize(bytes) }), { kind: 'done' })
    })
    ticking.abort()
    load()
  }

  /** The response comes before they are stored; the list tells how that ends. */
  async function store(): Promise<void> {
    await client.admin.makeOffsiteBackups()
    notify(t('offsite.making'), { kind: 'done' })
  }

  function download(name: string): Promise<void> {
    return follow(t('backups.download'), h('span', {}, t('backups.downloading', { name })), async () => {
      saveFile(await client.admin.downloadBackup(name, { signal }), name)
    })
  }

  async function restore(name: string): Promise<void> {
    await follow(t('restore.checking'), h('span', {}, t('restore.checking')), async () => {
      const checked = await client.admin.checkBackup(name, { signal })
      const before = (await client.admin.lastRestore({ signal })).restore?.at
      fill(progress)
      if (!(await confirmRestore(checked))) return
      fill(progress, h('progress', { 'aria-label': t('restore.running') }), h('span', {}, t('restore.running')))
      await client.admin.restoreBackup(name, { confirm: name }, { signal })
      const outcome = await awaitRestart(context, before)
      if (outcome === undefined) return context.restart()
      if (outcome.outcome === 'restored') notify(t('restore.restored', { name }), { kind: 'done' })
      load()
    })
  }
}

interface BackupActions {
  readonly download: (name: string) => Promise<void>
  readonly restore: (name: string) => Promise<void>
}

function backupTable(items: readonly Backup[], { download, restore }: BackupActions): HTMLElement {
  const action = (label: string, content: Child, name: string, work: (name: string) => Promise<void>): HTMLElement =>
    workButton(content, () => work(name), { class: 'small', ...inRow(label, { id: name, title: name }) })
  const [save, back] = [t('backups.download'), t('restore.button')]
  const actions = ({ name }: Backup): Child => [
    action(save, [icon('download'), save], name, download),
    ' ',
    action(back, [icon('refresh'), back], name, restore),
  ]
  return recordsTable(
    t('operations.backups'),
    [
      { title: t('backups.name'), kind: 'code', cell: ({ name }) => code(name) },
      { title: t('field.createdAt'), cell: ({ createdAt }) => dateTime(createdAt) },
      { title: t('backups.size'), kind: 'number', cell: ({ bytes }) => byteSize(bytes) },
      { title: t('actions'), kind: 'actions', cell: actions },
    ],
    items,
  )
}

/** Those that were made by hand count as well. */
function schedule({ everyMs, keep, directory, failure, last }: ServiceStatus['backups'], items: readonly Backup[]): Child {
  const newest = [...items.map(({ createdAt }) => createdAt), last?.at ?? ''].toSorted().at(-1) ?? ''
  const rule = everyMs === null ? t('backups.never') : t('backups.every', { time: duration(everyMs), count: keep })
  return [
    h('p', {}, rule, ' ', h('span', { class: 'soft' }, t('backups.directory'), ' ', code(directory))),
    failure !== null &&
      h(
        'p',
        { class: 'banner' },
        h('strong', {}, t('backups.failed')),
        [' (', ago(failure.at), ') '],
        h('span', { dir: 'auto' }, failure.message),
      ),
    newest !== '' && h('p', { class: 'soft' }, t('backups.last'), ' ', ago(newest)),
  ]
}

/** What the last restore came to. */
function outcomeBanner({ outcome, name, kept, reason, at }: NonNullable<LastRestore['restore']>): HTMLElement {
  const words = outcome === 'restored' ? t('restore.done', { name, kept: kept ?? '' }) : t('restore.failed', { name })
  return h('p', { class: outcome === 'failed' && 'banner' }, dateTime(at), ' · ', words, reason !== null && [' ', h('span', { dir: 'auto' }, reason)])
}
