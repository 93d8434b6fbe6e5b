/** Backups: when they are made, which there are, one more now, and one to take along. */
import type { Backup, ServiceStatus } from '../../../models/responses.ts'
import { t } from '../../texts.ts'
import { every, now } from '../../timing.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { ago, byteSize, dateTime, duration } from '../../kit/moments.ts'
import { notify } from '../../kit/notices.ts'
import { saveFile } from '../../kit/save-file.ts'
import { emptyState, isAbort, wordsOf } from '../../kit/states.ts'
import { whileBusy } from './busy-button.ts'
import { readInto, type OpenPart } from './part.ts'
import { recordsTable } from './records-table.ts'

export const backupsPart: OpenPart = (context) => {
  const { client, signal } = context
  const place = h('div', { class: 'part' })
  const progress = h('div', { class: 'progress', role: 'status' })
  const problem = h('p', { class: 'banner', role: 'alert', dir: 'auto', hidden: true })
  const tell = (words: string): void => {
    fill(problem, words)
    problem.hidden = words === ''
  }
  const make = h(
    'button',
    { type: 'button', class: 'primary', on: { click: () => void whileBusy(make, makeOne) } },
    icon('plus'),
    t('backups.make'),
  )
  const { load } = readInto(context, {
    place,
    lines: 8,
    read: async (options) => {
      const [{ items }, { backups }] = await Promise.all([client.admin.backups(options), client.admin.status(options)])
      return { items, backups }
    },
    show: ({ items, backups }) => [
      schedule(backups),
      items.length === 0 ? emptyState('archive', t('backups.empty')) : table(items),
    ],
  })
  return { element: h('div', { class: 'part' }, h('div', { class: 'part-tools' }, make, progress), problem, place) }

  /** Leaving the screen does not cancel the backup. */
  async function makeOne(): Promise<void> {
    const begun = now()
    const ticking = new AbortController()
    const passed = h('span', { 'aria-hidden': 'true' })
    tell('')
    fill(progress, h('progress', { 'aria-label': t('backups.making') }), h('span', {}, t('backups.making')), passed)
    every(1_000, ticking.signal, () => fill(passed, duration(now() - begun)))
    try {
      const { name, bytes } = await client.admin.makeBackup()
      notify(t('backups.made', { name, size: byteSize(bytes) }), { kind: 'done' })
    } catch (error) {
      tell(wordsOf(error))
    } finally {
      ticking.abort()
      fill(progress)
      load()
    }
  }

  function table(items: readonly Backup[]): HTMLElement {
    return recordsTable(
      t('operations.backups'),
      [
        { title: t('backups.name'), kind: 'code', cell: ({ name }) => h('code', { dir: 'ltr' }, name) },
        { title: t('field.createdAt'), cell: ({ createdAt }) => dateTime(createdAt) },
        { title: t('backups.size'), kind: 'number', cell: ({ bytes }) => byteSize(bytes) },
        { title: t('backups.download'), kind: 'actions', cell: downloadButton },
      ],
      items,
    )
  }

  function downloadButton({ name }: Backup): HTMLElement {
    const label = t('backups.download')
    const button = h(
      'button',
      {
        type: 'button',
        class: 'small',
        'data-key': name,
        'aria-label': t('pair', { name: label, value: name }),
        on: { click: () => void whileBusy(button, download) },
      },
      icon('download'),
      label,
    )
    const download = async (): Promise<void> => {
      tell('')
      fill(progress, h('progress', { 'aria-label': label }), h('span', {}, t('backups.downloading', { name })))
      try {
        saveFile(await client.admin.downloadBackup(name, { signal }), name)
      } catch (error) {
        if (!isAbort(error)) tell(wordsOf(error))
      } finally {
        fill(progress)
      }
    }
    return button
  }
}

function schedule({ everyMs, keep, directory, failure, last }: ServiceStatus['backups']): Child {
  return [
    h(
      'p',
      {},
      everyMs === null ? t('backups.never') : t('backups.every', { time: duration(everyMs), count: keep }),
      ' ',
      h('span', { class: 'soft' }, t('backups.directory'), ' ', h('code', { dir: 'ltr' }, directory)),
    ),
    failure === null
      ? null
      : h(
          'p',
          { class: 'banner' },
          h('strong', {}, t('backups.failed')),
          ' (',
          ago(failure.at),
          ') ',
          h('span', { dir: 'auto' }, failure.message),
        ),
    last === null ? null : h('p', { class: 'soft' }, t('backups.last'), ' ', ago(last.at)),
  ]
}
