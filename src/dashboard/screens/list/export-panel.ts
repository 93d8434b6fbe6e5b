/** The documents of the list as a file, with its filter and its order. */
import type { Client } from '../../../client/client.ts'
import type { Model } from '../../../models/schema.ts'
import type { ScreenContext } from '../../screen.ts'
import { may } from '../../permissions.ts'
import { t } from '../../texts.ts'
import { button, h } from '../../kit/dom.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { saveFile } from '../../kit/save-file.ts'

const FORMATS = [
  ['csv', 'CSV'],
  ['ndjson', 'JSON lines'],
] as const

type Wanted = Parameters<Client['admin']['exportList']>[0]

export interface ExportPanelOptions {
  /** Gives the parameters of the list as it stands. */
  readonly query: () => object
  readonly close: () => void
}

export function exportPanel(model: Model, { client, signal, user }: ScreenContext, { query, close }: ExportPanelOptions): HTMLElement {
  const incomplete = h('input', { type: 'checkbox' })
  const mayBeIncomplete = may('replace', model, user) && 'status' in model.fields
  return h(
    'ul',
    {},
    mayBeIncomplete && h('li', {}, h('label', { class: 'tick' }, incomplete, ' ', t('export.incomplete'))),
    FORMATS.map(([format, name]) => h('li', {}, button(name, () => void save(format), { class: 'plain' }))),
  )

  async function save(format: Wanted['format']): Promise<void> {
    close()
    const dismiss = notify(t('list.exporting'))
    try {
      saveFile(await client.admin.exportList({ ...query(), model: model.name as Wanted['model'], format, incomplete: incomplete.checked }, { signal }), `${model.name}.${format}`)
    } catch (error) {
      notifyFailure(error)
    } finally {
      dismiss()
    }
  }
}
