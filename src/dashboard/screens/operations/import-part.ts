/** Importing a file: a preview, the mapping of its columns, a check without a change, and the rows that were rejected. */
import { NetworkError, type Client } from '../../../client/client.ts'
import type { ImportPreview } from '../../../models/responses.ts'
import { MODELS, modelNamed } from '../../../models/registry.ts'
import type { Model } from '../../../models/schema.ts'
import { ENCODING_TITLES, type TextEncoding } from '../../../models/text-encoding.ts'
import { user } from '../../../models/user.ts'
import { modelsTitle, pathOf } from '../../model-titles.ts'
import { newRequestKey } from '../../request-key.ts'
import { hrefTo } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { button, fill, h, type Child } from '../../kit/dom.ts'
import { labelled } from '../../kit/elements.ts'
import { focusMain, hasFocus, keepFocus } from '../../kit/focus.ts'
import { icon } from '../../kit/icons.ts'
import { saveFile } from '../../kit/save-file.ts'
import { errorText, isAbort } from '../../kit/states.ts'
import { columnsMeant, columnTitles } from './import-columns.ts'
import { asUtf8, firstText, NotUtf8, PieceFailed, sendPieces, type ImportTotals } from './import-pieces-sender.ts'
import type { OpenPart } from './part.ts'

type ImportedRows = Parameters<Client['admin']['importRows']>[0]
type ModelName = ImportedRows['model']

interface Begun {
  readonly importKey: string
  readonly how: Omit<ImportedRows, 'rows' | 'line' | 'isLast' | 'hasHeader' | 'dryRun'>
}

/** Settings of people and of the apps move by the command and the API. */
const IMPORTED = MODELS.filter((model: Model) => [model.computed, model.owned, model.singleton].every((one) => one === undefined) && model !== user)
/** Rejected rows that are listed; the file to download has all. */
const LISTED = 20

export const importPart: OpenPart = ({ client, screenUrl, signal }) => {
  const wanted = modelNamed(screenUrl.query.get('model') ?? '')
  const model = h('select', { name: 'model', value: wanted?.name ?? 'headline', on: { change: preview } }, IMPORTED.map((one) => h('option', { value: one.name, selected: one.name === (wanted?.name ?? 'headline') }, modelsTitle(one))))
  const file = h('input', { type: 'file', 'aria-describedby': 'import-drop', accept: '.csv,.ndjson,.jsonl,text/csv,application/x-ndjson', on: { change: preview } })
  const keep = h('input', { type: 'checkbox' })
  const incomplete = h('input', { type: 'checkbox' })
  const asDrafts = h('input', { type: 'checkbox' })
  const body = h('div', { class: 'part' })
  let selects: readonly HTMLSelectElement[] = []
  let running: AbortController | undefined
  signal.addEventListener('abort', () => running?.abort())

  const chosen = (): File | undefined => file.files?.[0]
  const modelName = (): ModelName => model.value as ModelName
  const format = (): 'csv' | 'ndjson' => (/\.csv$/i.test(chosen()?.name ?? '') ? 'csv' : 'ndjson')

  async function preview(): Promise<void> {
    running?.abort()
    const mine = (running = new AbortController())
    const source = chosen()
    if (source === undefined) return void fill(body)
    try {
      const { file: text, encoding } = await asUtf8(source)
      const rows = await firstText(text)
      const read = await client.admin.previewImport({ model: modelName(), format: format(), rows }, { signal: mine.signal })
      if (!mine.signal.aborted) showPreview(read, text, encoding)
    } catch (error) {
      if (!mine.signal.aborted && !isAbort(error)) fill(body, problem(error))
    }
  }

  function showPreview({ columns, separator, header, rows }: ImportPreview, source: Blob, encoding: TextEncoding): void {
    const result = h('div', { class: 'part', role: 'status' })
    const titles = columnTitles(columns)
    const meant = columnsMeant(header, columns)
    selects = header.map(({ name }, i) =>
      h('select', { 'aria-label': t('import.columnFor', { name }), value: meant[i] }, [
        h('option', { value: '' }, t('import.skip')),
        ...columns.map((one) => h('option', { value: one, selected: one === meant[i], title: one }, titles.get(one))),
      ]),
    )
    const check = button(t('import.check'), () => void run(true), {})
    const write = button([icon('publish'), t('import.write')], () => void run(false), { class: 'primary' })
    let isStopped = false
    const stop = button(t('import.stop'), () => void (isStopped = true), { hidden: true })
    const table = h(
      'div',
      { class: 'import-preview', tabindex: 0, role: 'region', 'aria-label': t('import.preview') },
      h(
        'table',
        {},
        header.length > 0 && h('thead', {}, h('tr', {}, header.map(({ name }, i) => h('th', { scope: 'col' }, h('bdi', {}, name), selects[i])))),
        h('tbody', {}, rows.map((cells) => h('tr', {}, cells.map((cell) => h('td', {}, h('bdi', {}, cell)))))),
      ),
    )
    const hasDrafts = modelNamed(modelName())?.fields['status']?.kind === 'choice'
    const ticks = [
      hasDrafts && h('label', { class: 'tick' }, asDrafts, ' ', t('import.asDrafts')),
      h('label', { class: 'tick' }, incomplete, ' ', t('export.incomplete')),
      h('label', { class: 'tick' }, keep, ' ', t('import.keep')),
    ]
    const read = h('p', { class: 'soft' }, t('import.encoding', { name: ENCODING_TITLES[encoding] }), encoding === 'windows-1252' && [' ', t('import.wrongLetters')])
    fill(body, read, table, ticks, h('div', { class: 'buttons' }, check, write, stop), result)

    /** What is imported, and how: going on changes none of it. */
    const how = () => ({
      ...{ model: modelName(), format: format(), keep: keep.checked, incomplete: incomplete.checked, asDrafts: hasDrafts && asDrafts.checked },
      ...(header.length === 0 ? {} : { columns: selects.map(({ value }) => value), separator }),
    })

    async function run(isDryRun: boolean, begun: Begun = { importKey: newRequestKey(), how: how() }, from?: ImportTotals): Promise<void> {
      running?.abort()
      const mine = (running = new AbortController())
      isStopped = false
      for (const one of [check, write]) one.disabled = true
      stop.hidden = false
      const bar = h('progress', { max: source.size, value: 0, 'aria-label': t('import.running') })
      keepFocus(result, () => fill(result, bar, h('span', {}, t('import.running'))))
      let totals = from
      try {
        await sendPieces(source, {
          ...{ from, importKey: begun.importKey },
          isLarge: isDryRun && modelNamed(begun.how.model)?.distinct !== undefined,
          isStopped: () => isStopped,
          send: (piece, idempotencyKey) =>
            client.admin.importRows(
              { ...begun.how, dryRun: isDryRun, ...piece, ...(begun.how.columns !== undefined && { hasHeader: piece.line === 1 }) },
              { idempotencyKey, signal: mine.signal },
            ),
          onPiece(now) {
            totals = now
            bar.value = now.bytes
          },
        })
        fill(result, outcome(totals, isDryRun), isStopped && !isDryRun && goOn(begun, totals))
      } catch (error) {
        // A first piece without a response may be stored as well.
        const mayGoOn = !isDryRun && (totals !== undefined || error instanceof NetworkError || error instanceof PieceFailed)
        if (!isAbort(error)) fill(result, outcome(totals, isDryRun), problem(error), mayGoOn && goOn(begun, totals))
      } finally {
        for (const one of [check, write]) one.disabled = false
        if (hasFocus(stop)) focusMain()
        stop.hidden = true
      }
    }

    /** From the beginning, rows without an id would come twice. */
    function goOn(begun: Begun, totals: ImportTotals | undefined): Child {
      if (totals !== undefined && totals.bytes >= source.size) return null
      const line = totals?.nextLine ?? 1
      return h('div', { class: 'banner' }, h('p', {}, t('import.stopped', { line })), h('div', { class: 'buttons' }, button(t('import.goOn', { line }), () => void run(false, begun, totals))))
    }
  }

  function outcome(totals: ImportTotals | undefined, isDryRun: boolean): Child {
    if (totals === undefined) return null
    const { inserted, replaced, unchanged, rejected, sameAddress, stopped } = totals
    const counts = t(isDryRun ? 'import.wouldWrite' : 'import.wrote', { inserted, replaced, unchanged, rejected: rejected.length })
    const lines = rejected.slice(0, LISTED).map(({ line, message }) => h('li', {}, t('import.line', { line }), ' ', h('span', { dir: 'auto' }, message)))
    const link = modelNamed(model.value)
    const known = sameAddress.slice(0, LISTED).map(({ line, id, title, earlierLine }) =>
      h('li', {}, t('import.line', { line }), ' ', id === null ? h('span', {}, `= ${t('import.line', { line: earlierLine ?? 0 })} `, h('bdi', {}, title)) : h('a', { href: hrefTo([link === undefined ? '' : pathOf(link), id]), target: '_blank', dir: 'auto' }, title || id)),
    )
    return [
      h('p', {}, h('strong', {}, counts)),
      stopped !== null && h('p', { class: 'banner' }, t('import.unreadable', { line: stopped.line }), ' ', h('span', { dir: 'auto' }, stopped.message)),
      lines.length > 0 && h('ul', { class: 'rejected' }, lines),
      rejected.length > 0 && h('div', { class: 'buttons' }, button([icon('download'), t('import.saveRejected')], () => saveRejected(totals))),
      known.length > 0 && [h('p', {}, t('import.sameAddress', { count: sameAddress.length })), h('ul', { class: 'rejected' }, known)],
      !isDryRun && link !== undefined && inserted + replaced > 0 && h('p', {}, h('a', { href: hrefTo([pathOf(link)]) }, t('import.seeList'))),
    ]
  }

  function problem(error: unknown): HTMLElement {
    return h('p', { class: 'banner', role: 'alert', dir: 'auto' }, error instanceof NotUtf8 ? t('import.notUtf8') : error instanceof PieceFailed ? error.message : errorText(error))
  }

  return {
    element: h(
      'div',
      { class: 'part' },
      h('p', { class: 'soft' }, t('import.about')),
      h('div', { class: 'part-tools import-tools' }, labelled(t('import.model'), model)),
      h('div', { class: 'import-file' }, labelled(t('import.file'), file), h('p', { id: 'import-drop', class: 'field-about' }, t('import.drop'))),
      body,
    ),
  }
}

function saveRejected({ rejected }: ImportTotals): void {
  const lines = rejected.map((row) => `${JSON.stringify(row)}\n`)
  saveFile(new Blob(lines, { type: 'application/x-ndjson' }), 'rejected.ndjson')
}
